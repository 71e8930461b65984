import json
import os

wanted = json.loads(os.environ.get("ORTH_JOB_PARAM") or '{"days": 1}')
print(f"the numbers of {wanted['days']} days")
