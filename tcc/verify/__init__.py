"""Objectives judged: what is simulated, what was measured, whether it is enough.

policy --scenario--> Scenario --verifier--> Measured --judge--> Verdict
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
