package process

import (
	"os"
	"os/exec"
)

// keeper is one way to hold the trees of children together.
type keeper interface {
	// describe describes the keeper and what it lacks.
	describe() string
	// newTree prepares for one child, before its start.
	newTree(mark string) (tree, error)
	// close frees what hold does not.
	close() error
}

// tree is the processes of one child. Its methods are called by one goroutine
// at a time.
type tree interface {
	// prepare changes how the command is started.
	prepare(cmd *exec.Cmd)
	// adopt takes the child in before its program runs; start has stopped it
	// for that when prepare asked.
	adopt(p *os.Process) error
	// terminate asks every process of the tree to end.
	terminate()
	// killAll ends every process of the tree and returns how many it could not.
	killAll() int
	// reason names the limit that ended the child; empty when none did.
	reason(state *os.ProcessState) string
	// release frees what hold made, after the end.
	release() error
}
