"""`tbf`: a token bucket, and a queue inside it."""

from tcc_plugins.tbf.options import WORDS, TbfOptions
from tcc_plugins.tbf.plugin import Tbf
from tcc_plugins.tbf.settings import TbfSettings

__all__ = ["WORDS", "Tbf", "TbfOptions", "TbfSettings"]
