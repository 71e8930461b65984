package interop

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// peers are the executors that are tried; each is prepared once. What a client
// lacks is found out each time: one that learns it makes the test fail until its
// lack is struck here.
var peers = sync.OnceValue(func() []peer {
	all := others()
	for i, p := range all {
		all[i].prepare = sync.OnceValues(p.prepare)
	}
	return all
})

func others() []peer {
	var all []peer
	for _, version := range releases("2.3.1", "2.4.2", "2.5.0", "3.1.1", "3.2.0", "3.3.2", "3.4.2") {
		all = append(all, javaPeer(version))
	}
	return append(all,
		peer{name: "xxl-job-executor-go", version: "1.2.0", tools: []string{"go"}, prepare: prepareGo, lacks: goLacks},
		peer{name: "pyxxl", version: "0.4.8", tools: []string{"python3"}, prepare: preparePython, lacks: pythonLacks},
		peer{name: "xxl-job (npm)", version: "0.1.7", tools: []string{"node", "npm"}, prepare: prepareNode, path: "/job", lacks: nodeLacks},
	)
}

var goLacks = map[string]lack{
	"dialect": {why: "its calls do not tell, and it takes what has two names under both: it is spoken to as `xxl-job`", proof: "Dialect:}"},
	"shell":   {why: "it runs registered functions only, and refuses scripts", proof: "Task not registered"},
	"serial":  {why: "it has no queue: while a job runs it refuses the next run, which then fails", proof: "There are tasks running"},
	"cover":   {why: "runs of one handler share their context: covering one ends the new one too", proof: "context canceled", sometimes: true},
	"outage":  {why: "it reports an outcome once and does not repeat it: the run ends by its deadline", proof: "the deadline of"},
}

var pythonLacks = map[string]lack{
	"dialect": {why: "its calls do not tell, and it takes what has two names under both: it is spoken to as `xxl-job`", proof: "Dialect:}"},
	"shell":   {why: "it runs registered functions only, and refuses scripts", proof: "not found"},
}

var nodeLacks = map[string]lack{
	"long log": {why: "each further page of a log begins one line too late", proof: "of the log is", sometimes: true},
	"dialect":  {why: "its calls do not tell, and it takes what has two names under both: it is spoken to as `xxl-job`", proof: "Dialect:}"},
	"shell":    {why: "it runs registered functions only, and refuses scripts", proof: "No matched jobHandler"},
	"serial":   {why: "it has no queue: while a job runs it refuses the next run, which then fails", proof: "a same job is running"},
	"cover":    {why: "it refuses the second run, which then fails", proof: "a same job is running"},
	"outage":   {why: "its process ends when it cannot report: the run ends by its deadline", proof: "the executor has ended"},
}

func prepareGo() (launcher, error) {
	to := filepath.Join(filepath.Dir(program), "goexecutor")
	return launch("", to), compile(to, ".", "./goexecutor")
}

// launch returns a launcher of a program in a folder, with arguments before
// those of the peer.
func launch(dir, program string, before ...string) launcher {
	return func(args ...string) *exec.Cmd {
		cmd := exec.Command(program, append(before, args...)...)
		cmd.Dir = dir
		return cmd
	}
}

// here returns the absolute path of a file of this folder.
func here(name ...string) (string, error) {
	return filepath.Abs(filepath.Join(name...))
}

func preparePython() (launcher, error) {
	return pythonProgram("python3", "peer.py", "requirements.txt")
}

// pythonProgram fetches packages and returns what makes a process of one of our programs
// around them.
func pythonProgram(python, name, packages string) (launcher, error) {
	script, err := here("python", name)
	if err != nil {
		return nil, err
	}
	list, err := os.ReadFile(filepath.Join("python", packages))
	if err != nil {
		return nil, err
	}
	dir, err := cached("python", []string{string(list)}, func(dir string) error {
		if err := say(exec.Command(python, "-m", "venv", dir)); err != nil {
			return err
		}
		return say(exec.Command(filepath.Join(dir, "bin", "pip"), "install", "--quiet", "-r", filepath.Join("python", packages)))
	})
	if err != nil {
		return nil, err
	}
	return launch("", filepath.Join(dir, "bin", "python"), "-W", "ignore", script), nil
}

func prepareNode() (launcher, error) { return nodeProgram("peer.mjs") }

// nodeProgram fetches the packages and returns what makes a process of one of our
// programs around them.
func nodeProgram(name string) (launcher, error) {
	script, err := here("node", name)
	if err != nil {
		return nil, err
	}
	var parts []string
	for _, name := range []string{"package.json", "package-lock.json"} {
		part, err := os.ReadFile(filepath.Join("node", name))
		if err != nil {
			return nil, err
		}
		parts = append(parts, string(part))
	}
	dir, err := cached("node", parts, func(dir string) error {
		for i, name := range []string{"package.json", "package-lock.json"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(parts[i]), 0o644); err != nil {
				return err
			}
		}
		install := exec.Command("npm", "ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts")
		install.Dir = dir
		return say(install)
	})
	if err != nil {
		return nil, err
	}
	return launch(dir, "node", script), nil
}

// javaPeer is one release of XXL-JOB's own library.
func javaPeer(version string) peer {
	dialect := "xxl-job-2"
	if version >= "3.3" {
		dialect = "xxl-job-3"
	}
	return peer{
		name: "xxl-job-core", version: version, dialect: dialect, tools: []string{"java", "javac", "mvn"},
		prepare: func() (launcher, error) {
			path, err := javaPath(version, "Peer.java")
			if err != nil {
				return nil, err
			}
			return launch("", "java", "-Xmx64m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", path, "Peer"), nil
		},
	}
}

// javaPath fetches a release of the library and what it needs, and compiles a
// program of ours against it. It returns the class path.
func javaPath(version, source string) (string, error) {
	pom, err := here("java", "pom.xml")
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(pom)
	if err != nil {
		return "", err
	}
	lib, err := cached("java-"+version, []string{string(text)}, func(dir string) error {
		err := say(exec.Command("mvn", "-q", "-B", "-f", pom, "-Dcore="+version, "dependency:copy-dependencies", "-DoutputDirectory="+dir))
		if err != nil && strings.Contains(err.Error(), "com.xuxueli:xxl-job-core") &&
			(strings.Contains(err.Error(), "was not found in") || strings.Contains(err.Error(), "Could not find artifact")) {
			return fmt.Errorf("xxl-job-core %s: %w", version, errUnpublished)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	code, err := os.ReadFile(filepath.Join("java", source))
	if err != nil {
		return "", err
	}
	program := names(version).Replace(string(code))
	jars := filepath.Join(lib, "*")
	classes, err := cached("classes-"+version, []string{string(text), program}, func(dir string) error {
		path := filepath.Join(dir, source)
		if err := os.WriteFile(path, []byte(program), 0o644); err != nil {
			return err
		}
		return say(exec.Command("javac", "-d", dir, "-cp", jars, path))
	})
	return jars + string(os.PathListSeparator) + classes, err
}

// names gives the classes of releases 2.5 to 3.2 the names that they have in
// another release.
func names(version string) *strings.Replacer {
	const client = "new ExecutorBizClient(address, shown, 3)"
	switch {
	case version < "2.5":
		return strings.NewReplacer(client, "new ExecutorBizClient(address, shown)")
	case version < "3.3":
		return strings.NewReplacer()
	}
	return strings.NewReplacer(
		client, `com.xxl.tool.http.HttpTool.createClient().url(address).header("XXL-JOB-ACCESS-TOKEN", shown).timeout(3000).proxy(ExecutorBiz.class)`,
		"import com.xxl.job.core.biz.client.ExecutorBizClient;\n", "",
		"com.xxl.job.core.biz.model.ReturnT", "com.xxl.tool.response.Response",
		"com.xxl.job.core.biz.model.LogResult", "com.xxl.job.core.openapi.model.LogResult",
		"com.xxl.job.core.biz.ExecutorBiz", "com.xxl.job.core.openapi.ExecutorBiz",
		"com.xxl.job.core.biz.model", "com.xxl.job.core.openapi.model",
		"ReturnT", "Response", "getContent", "getData", "HandleCallbackParam", "CallbackRequest",
		"IdleBeatParam", "IdleBeatRequest", "KillParam", "KillRequest", "LogParam", "LogRequest",
		"RegistryParam", "RegistryRequest", "TriggerParam", "TriggerRequest",
	)
}
