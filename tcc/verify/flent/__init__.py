"""flent's data files: predictions written as flent would have measured them, and runs read back.

The file format is version 4 of flent 2 (its `resultset.py`): x values in seconds, a list of values
for each series, None for gaps, and metadata.  Series have the names of flent's own tests.
"""
