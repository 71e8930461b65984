package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// network is where the processes of a trial reach each other. In a namespace each has an
// address of its own, on a bridge; without one all are on loopback.
type network struct {
	own   bool // each process has a network namespace
	host  string
	names []string // of the namespaces that there are
	port  int
}

const (
	bridge = "trial"
	nobody = "02:00:00:00:00:99" // an address that no interface has
)

// newNetwork makes the bridge. The namespace around it is this process's own, and ends with
// it.
func newNetwork(own bool) (*network, error) {
	n := &network{own: own, host: "127.0.0.1", port: 7000}
	if !own {
		return n, nil
	}
	n.host = "10.77.0.1"
	return n, ip("link set lo up", "link add "+bridge+" type bridge", "addr add "+n.host+"/24 dev "+bridge, "link set "+bridge+" up")
}

// ip runs commands of ip.
func ip(commands ...string) error {
	for _, c := range commands {
		if out, err := exec.Command("ip", strings.Fields(c)...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w: %s", c, err, out)
		}
	}
	return nil
}

// join gives a process an address and returns it, and how its command begins.
func (n *network) join(name string) (address string, prefix []string, err error) {
	if !n.own {
		return n.host, nil, nil
	}
	n.names = append(n.names, name)
	address = fmt.Sprintf("10.77.0.%d", 1+len(n.names))
	link := fmt.Sprintf("trial%d", len(n.names))
	return address, []string{"ip", "netns", "exec", name}, ip(
		"netns add "+name, "link add "+link+" type veth peer name eth0 netns "+name, "link set "+link+" master "+bridge+" up",
		"-n "+name+" addr add "+address+"/24 dev eth0", "-n "+name+" link set eth0 up", "-n "+name+" link set lo up")
}

// leave removes what join made.
func (n *network) leave() error {
	var errs []error
	for i, name := range n.names {
		errs = append(errs, ip(fmt.Sprintf("link del trial%d", i+1), "netns del "+name))
	}
	n.names = nil
	return errors.Join(errs...)
}

// listen returns an address on the host's side that nothing listens on.
func (n *network) listen(host string) (string, error) {
	if n.own {
		n.port++
		return fmt.Sprintf("%s:%d", host, n.port), nil
	}
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// drop makes the packets of a process, or those for it, reach nobody. Whoever sends them is
// not told.
func (n *network) drop(name, address string, in, out bool) error {
	var errs []error
	if in {
		errs = append(errs, ip("neigh replace "+address+" lladdr "+nobody+" dev "+bridge+" nud permanent"))
	}
	if out {
		errs = append(errs, ip("-n "+name+" neigh replace "+n.host+" lladdr "+nobody+" dev eth0 nud permanent"))
	}
	return errors.Join(errs...)
}

func (n *network) restore(name, address string, in, out bool) error {
	var errs []error
	if in {
		errs = append(errs, ip("neigh del "+address+" dev "+bridge))
	}
	if out {
		errs = append(errs, ip("-n "+name+" neigh del "+n.host+" dev eth0"))
	}
	return errors.Join(errs...)
}

// smallDisk mounts a file system of some MiB.
func smallDisk(dir string, mib int) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm", mib))
}

// fill writes until the disk is full. The file gives the space back when it is removed.
func fill(dir string) (ballast string, err error) {
	ballast = filepath.Join(dir, "ballast")
	f, err := os.Create(ballast)
	if err != nil {
		return "", err
	}
	defer f.Close()
	for page := make([]byte, 4096); err == nil; {
		_, err = f.Write(page)
	}
	if errors.Is(err, syscall.ENOSPC) {
		err = nil
	}
	return ballast, err
}
