// Package process runs child programs so that nothing of them lives on.
//
// It knows processes, their trees, signals, resource limits, private folders
// and environments. It must never know a task, a script, a queue or what a
// program is for. A [Command] comes in; its output, its result and its [Exit]
// go out.
//
// A tree is held together by the best means that the machine has:
//
//	cgroup v2      the kernel kills the whole tree in one step. Nothing leaves it
//	               but a program that may write the cgroup files, such as root's.
//	cgroup v1      the same, in passes over a frozen tree.
//	group          a session and process group of its own, its descendants, and
//	               whatever carries the mark ORTH_PROCESS_MARK in its
//	               environment. A program that leaves the session, loses its
//	               parent and clears its environment is not found.
//	job object     Windows.
//
// When the executor itself is killed, the kernel kills each main child (Linux)
// and the rest of the trees is killed when the next executor calls [New].
package process
