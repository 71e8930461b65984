<?php
// Arguments: the job's parameter, the shard and the number of shards.
// An exit status other than 0 fails the run.
[, $param, $shard, $shards] = $argv;
$planned = getenv('ORTH_JOB_SCHEDULE_TIME') ?: 'none';

echo "Parameter: $param\n";
echo "Planned time: $planned\n";
echo "Shard: $shard of $shards\n";
