//go:build unix

package process

import (
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/orthd/orth/job"
)

// account is the user that children run as; nil is the own.
type account struct {
	uid, gid   uint32
	groups     []uint32
	name, home string // empty when the system does not know the number
	ownMask    bool   // children can have a umask of their own, see tryMask
}

// lookup finds the user of Config.User.
func lookup(text string) (*account, error) {
	if text == "" {
		return nil, nil
	}
	id, gid, pair := strings.Cut(text, ":")
	known, err := user.LookupId(id)
	if err != nil {
		known, err = user.Lookup(id)
	}
	a := &account{}
	switch {
	case err == nil:
		a.name, a.home = known.Username, known.HomeDir
		a.uid, a.gid = number(known.Uid), number(known.Gid)
		groups, _ := known.GroupIds() // without them the child may do less
		for _, group := range groups {
			a.groups = append(a.groups, number(group))
		}
	case pair:
		n, parseErr := strconv.ParseUint(id, 10, 32)
		if parseErr != nil {
			return nil, job.FieldErrorf("user", "%q is not known here: use a user's name, or the numbers uid:gid", text)
		}
		a.uid = uint32(n)
	default:
		return nil, job.FieldErrorf("user", "%q is not known here: use a user's name, or the numbers uid:gid", text)
	}
	if pair {
		n, err := strconv.ParseUint(gid, 10, 32)
		if err != nil {
			return nil, job.FieldErrorf("user", "the group of %q is not a number: use uid:gid", text)
		}
		a.gid, a.groups = uint32(n), nil
	}
	if os.Geteuid() != 0 && int(a.uid) != os.Geteuid() {
		return nil, job.FieldErrorf("user", "children can run as %q only when the executor runs as root", text)
	}
	if os.Geteuid() != 0 {
		return nil, nil // it is the own user
	}
	return a, nil
}

func number(text string) uint32 {
	n, _ := strconv.ParseUint(text, 10, 32) // the system wrote it
	return uint32(n)
}

func (a *account) become(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if a != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid, Groups: a.groups}
	}
}

// environ replaces the user's variables in the environment. The folder for temporary files
// may be closed to that user; without a name it is the system's.
func (a *account) environ(env []string) []string {
	if a == nil {
		return env
	}
	env = without(env, "HOME", "USER", "LOGNAME", "TMPDIR")
	if a.name != "" {
		env = append(env, "HOME="+a.home, "USER="+a.name, "LOGNAME="+a.name)
	}
	return env
}

func (a *account) chown(path string) error {
	if a == nil {
		return nil
	}
	return os.Lchown(path, int(a.uid), int(a.gid))
}

func (a *account) share(path string) error { return os.Lchown(path, -1, int(a.gid)) }

func (a *account) mayEnter(info fs.FileInfo) bool {
	if a.uid == 0 {
		return true
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	switch mode := info.Mode(); {
	case stat.Uid == a.uid:
		return mode&0o100 != 0
	case stat.Gid == a.gid || slices.Contains(a.groups, stat.Gid):
		return mode&0o010 != 0
	default:
		return mode&0o001 != 0
	}
}

// single reports whether the file has no second name, which may be that of a
// file that the child could not read.
func single(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink == 1
}

func exitValue(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

func sameName(a, b string) bool { return a == b }
