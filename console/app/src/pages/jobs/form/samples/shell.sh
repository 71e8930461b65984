#!/bin/sh
# $1 is the job's parameter, $2 the shard and $3 the number of shards.
# An exit status other than 0 fails the run.
echo "Parameter: $1"
echo "Planned time: ${ORTH_JOB_SCHEDULE_TIME:-none}"
echo "Shard: $2 of $3"
