"""One policy over a grid: every value of every axis, every objective, every seed.

--vary --axes--> values --places--> policies as text --grid--> runs --drive--> results in a file
results --cells--> verdicts and figures of each point --document, text--> what is shown
"""
