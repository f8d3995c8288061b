"""List prices in US dollars, us-east-1, without free tiers, as AWS's pricing pages had them in 2025.

https://aws.amazon.com/step-functions/pricing/ (Standard), https://aws.amazon.com/dynamodb/pricing/on-demand/,
https://aws.amazon.com/lambda/pricing/ (arm64), https://aws.amazon.com/api-gateway/pricing/ (WebSocket),
https://aws.amazon.com/cloudwatch/pricing/ (logs, standard class),
https://aws.amazon.com/xray/pricing/ (traces recorded).
"""

TRANSITION = 0.025 / 1000
WRITE_UNIT = 0.625 / 1e6
READ_UNIT = 0.125 / 1e6
INVOCATION = 0.20 / 1e6
GB_SECOND = 0.0000133334
MESSAGE = 1.00 / 1e6
CONNECTION_MINUTE = 0.25 / 1e6
LOG_BYTE = 0.50 / 1e9
TRACE = 5.00 / 1e6
