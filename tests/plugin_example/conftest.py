"""The guide's own test is run where the guide is followed."""

collect_ignore = ["guide"]
