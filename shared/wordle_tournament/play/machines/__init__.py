"""Tasks of the two state machines: the input of each comes from its definition in `infra/statemachines/`."""
