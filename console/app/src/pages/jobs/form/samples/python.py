import os
import sys

# Arguments: the job's parameter, the shard and the number of shards.
# An exit status other than 0, such as after an exception, fails the run.
param, shard, shards = sys.argv[1:4]
planned = os.environ.get("ORTH_JOB_SCHEDULE_TIME") or "none"

print("Parameter: %s" % param)
print("Planned time: %s" % planned)
print("Shard: %s of %s" % (shard, shards))
