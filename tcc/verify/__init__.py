"""Objectives judged: what is simulated, what was measured, whether it is enough.

policy --prepare--> Scenario --verifier--> Measured --judge--> Verdict --where, mend--> advice
"""

from tcc.verify.judge import Verdict, judge
from tcc.verify.measured import Delays, DirectionMeasure, FlowMeasure, Measured
from tcc.verify.scenario import Flow, Scenario, scenarios

__all__ = [
    "Delays",
    "DirectionMeasure",
    "Flow",
    "FlowMeasure",
    "Measured",
    "Scenario",
    "Verdict",
    "judge",
    "scenarios",
]
