# Arguments: the job's parameter, the shard and the number of shards.
# An exit status other than 0 fails the run.
$param, $shard, $shards = $args
$planned = if ($env:ORTH_JOB_SCHEDULE_TIME) { $env:ORTH_JOB_SCHEDULE_TIME } else { "none" }

Write-Output "Parameter: $param"
Write-Output "Planned time: $planned"
Write-Output "Shard: $shard of $shards"
