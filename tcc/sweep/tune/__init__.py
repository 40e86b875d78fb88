"""Settings that meet requirements and give the most of something, found by simulation.

--for, --maximise --goal--> an objective; the policy --knobs--> what may vary
both --search--> the choice --certain--> how sure it is --explain--> words and an edit of the policy
"""
