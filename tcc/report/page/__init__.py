"""Results as a page for people: one HTML file, no request, nothing to install.

results document --charts, verdicts, policy--> sections --page--> one file
"""
