// Arguments: the job's parameter, the shard and the number of shards.
// An exit status other than 0, such as after an exception, fails the run.
const [param, shard, shards] = process.argv.slice(2);
const planned = process.env.ORTH_JOB_SCHEDULE_TIME || "none";

console.log("Parameter:", param);
console.log("Planned time:", planned);
console.log("Shard:", shard, "of", shards);
