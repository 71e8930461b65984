// Package sim is a whole platform on fake time: three servers on one database,
// five executors, and a network and a disk that do their worst between them.
//
// It knows how the rooms of servers and executors are wired, and what must hold of
// the whole whatever happens. It must never know how a room does its work, nor the
// protocol: the network carries the calls that the rooms' interfaces name. Seeds
// come in; for each, a workload and a storm of faults go through the platform,
// and what its database and its handlers say in the end is judged.
//
//	go test ./internal/sim                      the usual number of seeds
//	go test ./internal/sim -seeds 5000          more of them
//	go test ./internal/sim -seed 42 -v          one of them again
//	go test ./internal/sim -long                a storm of twice the time
//
// A seed fixes the workload, the storm and the dice of each wire and each disk. The
// order in which goroutines of one instant run is the runtime's, so a seed that
// fails may need to be run a few times; its trace tells what happened.
package sim
