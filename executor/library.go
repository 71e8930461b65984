package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/handler/command"
	"github.com/orthd/orth/handler/groovy"
	"github.com/orthd/orth/handler/httpcall"
	"github.com/orthd/orth/handler/script"
	"github.com/orthd/orth/internal/egress"
	"github.com/orthd/orth/internal/process"
	"github.com/orthd/orth/job"
)

// timeoutExit is the exit value with which our Groovy reports a timeout.
const timeoutExit = 124

// library finds handlers for the runner.
type library struct {
	e       *Executor
	mask    func(text string) string   // hides secrets in messages of failures
	spawner *process.Spawner           // nil when there are no child processes
	scripts *script.Scripts            // nil when scripts are not allowed
	groovy  *lateGroovy                // nil when scripts are not allowed
	builtin map[string]handler.Handler // by name; the program's own go first
}

// openLibrary looks the machine's interpreters up, which may take seconds. mask hides
// secrets in messages of failures.
func (e *Executor) openLibrary(ctx context.Context, mask func(text string) string) (*library, error) {
	c := &e.config
	l := &library{e: e, mask: mask, builtin: make(map[string]handler.Handler)}
	var err error
	if c.Scripts || len(c.Programs.Commands) > 0 {
		if err := c.letThrough(); err != nil {
			return nil, err
		}
		if l.spawner, err = process.New(c.Programs.spawner(c)); err != nil {
			return nil, named(err, "user", "run-as")
		}
		c.Logger.Info("child processes can be ended whole", "by", l.spawner.Isolation())
	}
	if c.Scripts {
		if err := l.openScripts(ctx, c); err != nil {
			return nil, closing(err, l)
		}
	}
	if len(c.Programs.Commands) > 0 {
		l.builtin[job.HandlerNameCommand], err = command.New(command.Config{
			Allow: c.Programs.Commands, Dirs: c.Programs.CommandDirs, Variables: c.Programs.CommandEnv,
			Keep: c.Programs.Keep, Spawner: l.spawner, Mask: l.mask,
		})
		if err != nil {
			return nil, closing(err, l)
		}
	}
	if c.Calls.Enabled {
		client, err := egress.New(c.Calls.egress())
		if err != nil {
			return nil, closing(err, l)
		}
		l.builtin[job.HandlerNameHTTP], err = httpcall.New(httpcall.Config{Client: client, Secrets: c.Calls.Secrets})
		if err != nil {
			return nil, closing(err, l)
		}
	}
	return l, nil
}

// egress returns where calls may go. While calls are not allowed that is a host
// that does not exist, because no list means every public one.
func (c Calls) egress() egress.Config {
	if !c.Enabled {
		return egress.Config{Allow: []string{"calls-are-not-enabled.invalid"}}
	}
	return egress.Config{Allow: c.Hosts, Private: c.Private}
}

func closing(err error, l *library) error {
	_ = l.Close()
	return err
}

// letThrough lets the children's user through the data folder to the scripts and
// the temporary files in it. It cannot list the folder, and all else in it is
// closed to others by modes of its own. Only root can run children as others.
func (c *Config) letThrough() error {
	if c.Programs.User == "" || os.Geteuid() != 0 {
		return nil
	}
	for _, dir := range []string{c.Data, c.dataPath(tempDir)} {
		err := os.MkdirAll(dir, 0o711) //nolint:gosec // see above
		if err == nil {
			var info os.FileInfo
			if info, err = os.Stat(dir); err == nil {
				err = os.Chmod(dir, info.Mode().Perm()|0o011)
			}
		}
		if err != nil {
			return job.Errorf(job.Unavailable, "let the user %s of child processes through %s: %w", c.Programs.User, dir, err)
		}
	}
	return nil
}

// named gives the field of an error the name under which users set it.
func named(err error, from, to string) error {
	if wrong, ok := errors.AsType[*job.Error](err); ok && wrong.Field == from {
		wrong.Field = to
	}
	return err
}

func (l *library) openScripts(ctx context.Context, c *Config) error {
	found := script.Find(ctx, c.Programs.Interpreters)
	for kind, path := range c.Programs.Interpreters {
		if kind != job.HandlerGroovy && !slices.ContainsFunc(found, func(i script.Interpreter) bool { return i.Kind == kind }) {
			c.Logger.Warn("an interpreter does not run or is of another version; its scripts are refused", "kind", kind, "path", path)
		}
	}
	if len(c.Programs.JavaScript) > 0 {
		limits, err := json.Marshal(c.Calls.egress())
		if err != nil {
			return fmt.Errorf("prepare JavaScript: %w", err)
		}
		found = append(found, script.Interpreter{
			Kind: job.HandlerJS, Suffix: ".js", Argv: c.Programs.JavaScript,
			Env: []string{"ORTH_JS_EGRESS=" + string(limits), "ORTH_JS_MEMORY=" + strconv.FormatInt(c.Programs.Memory, 10)},
		})
	}
	var err error
	l.scripts, err = l.newScripts("scripts", found...)
	l.groovy = newGroovy(func(ctx context.Context) (*script.Scripts, error) { return l.findGroovy(ctx, c) })
	return err
}

func (l *library) newScripts(dir string, found ...script.Interpreter) (*script.Scripts, error) {
	c := &l.e.config
	return script.New(script.Config{Dir: c.dataPath(dir), Interpreters: found, Keep: c.Programs.Keep, Spawner: l.spawner, Mask: l.mask})
}

func (l *library) findGroovy(ctx context.Context, c *Config) (*script.Scripts, error) {
	argv, version, err := groovy.Find(ctx, c.dataPath("groovy"), c.Programs.Interpreters[job.HandlerGroovy])
	if err == nil && c.Programs.User != "" {
		err = readable(c.dataPath("groovy"))
	}
	if err != nil {
		return nil, err
	}
	return l.newScripts("scripts-groovy", script.Interpreter{
		Kind: job.HandlerGroovy, Suffix: ".groovy", Argv: argv, Version: version, TimeoutExit: timeoutExit,
	})
}

// readable lets everybody read a folder with all in it, whatever this process's
// umask has made of it.
func readable(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		switch mode := info.Mode(); {
		case mode.IsDir():
			return root.Chmod(path, mode.Perm()|0o055)
		case mode.IsRegular():
			return root.Chmod(path, mode.Perm()|0o044)
		}
		return nil
	})
}

// Handler returns the code for h, or a Refused error that names what is missing.
func (l *library) Handler(h job.Handler) (handler.Handler, error) {
	if h.Kind.Script() {
		if l.scripts == nil {
			return nil, job.Errorf(job.Refused, "this executor does not run scripts: its operator has to allow them")
		}
		if len(h.Source) > job.MaxSource {
			return nil, job.Errorf(job.Refused, "the script has %d bytes, at most %d are taken", len(h.Source), job.MaxSource)
		}
		if h.Kind == job.HandlerGroovy {
			return l.groovy.handler()
		}
		return l.scripts.Handler(h.Kind)
	}
	l.e.mu.Lock()
	found, ok := l.e.handlers[h.Name]
	l.e.mu.Unlock()
	if ok {
		return found, nil
	}
	if found, ok := l.builtin[h.Name]; ok {
		return found, nil
	}
	return nil, job.Errorf(job.Refused, "job handler [%s] not found.", h.Name)
}

// features are what this executor can run, as its registration lists it.
func (l *library) features() []string {
	var features []string
	if l.scripts != nil {
		for _, i := range append(l.scripts.Kinds(), l.groovy.kinds()...) {
			text := string(i.Kind)
			if i.Version != "" {
				text += "=" + i.Version
			}
			features = append(features, text)
		}
	}
	if l.builtin[job.HandlerNameCommand] != nil {
		features = append(features, "command")
	}
	if l.builtin[job.HandlerNameHTTP] != nil {
		features = append(features, "http")
	}
	return features
}

// names are those that jobs may use for handlers of this executor, in their order.
func (l *library) names() []string {
	l.e.mu.Lock()
	defer l.e.mu.Unlock()
	names := slices.AppendSeq(slices.Collect(maps.Keys(l.e.handlers)), maps.Keys(l.builtin))
	slices.Sort(names)
	return slices.Compact(names)
}

// Close releases what holds child processes together.
func (l *library) Close() error {
	if l.spawner == nil {
		return nil
	}
	return l.spawner.Close()
}
