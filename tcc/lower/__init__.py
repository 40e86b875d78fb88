"""From a checked policy to the qdiscs it stands for, on one host or on any."""

from tcc.lower.choose import Choice, choose
from tcc.lower.link import LoweredQdisc, lower_link, lower_policy
from tcc.lower.wishes import wishes

__all__ = ["Choice", "LoweredQdisc", "choose", "lower_link", "lower_policy", "wishes"]
