// Runs inside the executor, without Node.js. An exception, or fail("why"), fails the run.
log("Parameter:", param);
log("Planned time:", job.scheduleTime || "none");
log("Shard:", job.shardIndex, "of", job.shardTotal);
