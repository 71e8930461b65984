// Package sim is a whole platform on fake time: two or three servers on one database,
// four or five executors, and a network, clocks and a disk that do their worst between them.
//
// It knows how the rooms of servers and executors are wired, and what must hold of
// the whole whatever happens. It must never know how a room does its work: between
// hosts go the bytes that the protocols' clients write and their handlers read: the
// dice give each executor the XXL-JOB family's wire, the native one, or the native
// one without a port. Seeds come in; for each, a workload, users and a storm of faults go through the
// platform, and what its database and its handlers say in the end is judged.
//
//	go test ./internal/sim                      the usual number of seeds
//	go test ./internal/sim -short               a few of them
//	go test ./internal/sim -seeds 5000          more of them
//	go test ./internal/sim -first 900 -seeds 9  other ones
//	go test ./internal/sim -seed 42 -v          one of them again
//	go test ./internal/sim -long                longer storms, over all kinds of jobs
//
// A storm kills servers and executors, freezes them, stops servers in order and with
// something claimed in their hands, cuts and slows the network, loses and doubles requests,
// and fails calls to the database before and after their effect. Executors stop in
// order, with and without handing back what waits, come again at another address,
// after a power cut that takes their marks, with damaged queue files, and die during
// recovery; some have their queue in real files. Their disks fill up, and leave commits
// of unknown fate. The clocks of the servers differ by up to fourteen seconds where they
// tell each other instants, but for those of attempts and leases, and step; each server gives numbers from blocks of its
// own. Users run, cancel, change, stop and delete jobs, stop and start or reschedule
// some within the time for which firings are planned ahead, pause groups, ask for the
// past and change their minds, have dead letters run again, two servers at a time, and
// start, cancel and resume workflows. What is judged, much of it when it happens:
//
//	I1   every firing has a run, and what was promised or is kept is there
//	I2   there is no run for anything else; what was stopped stays so
//	I3   everything comes to its end within a minute after the storm, and runs of a
//	     job that let one another wait one after another
//	I4   an attempt begins at most once, unless its job wants it again after a crash;
//	     a run without retries begins once, whatever happens to its attempts
//	I5   what is recorded of an attempt is what its handler did
//	I6   an end is final; children, workflow nodes, shards and dead letters follow
//	     from it, once; each step is taken by one server
//	I7   an attempt begins when the one before it is over
//	I8   runs of a serial job do not overlap, on an executor or on several
//	I9   an attempt is not lost while a living executor has it, and does not begin
//	     after its executor did not know it
//	I10  what did not go as planned says why, and that is so
//	I11  nothing is left over in the database, and what was counted is what happened
//
// In fair weather (TestFairWeather) nothing is lost, late or overtaken (I12). When the
// database goes back (TestDatabaseGoesBack) nothing succeeds that has not run (I13).
//
// Faults that the platform is known not to stand are off: see the table in
// storm_test.go, and -open.
//
// A seed fixes the workload, the storm and the dice of each wire and each disk. The
// order in which goroutines of one instant run is the runtime's, so a seed that
// fails may need to be run a few times; its trace tells what happened. TestJudge
// breaks platforms on purpose, and wants each of them found out.
package sim
