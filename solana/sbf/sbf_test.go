package sbf

import (
	"bytes"
	"debug/elf"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "compile the programs of solana/testdata/program, and write them")

// compiler is the one that the programs are compiled with: another version makes other code.
const compiler = "clang-19"

// sources is where the programs of the tests are.
const sources = "../testdata/program"

func compile(t *testing.T, source string, flags ...string) []byte {
	t.Helper()
	if _, err := exec.LookPath(compiler); err != nil {
		if os.Getenv("ORTH_REQUIRE_TOOLS") != "" {
			t.Fatal(err)
		}
		t.Skipf("%s is not installed: scripts/tools does it", compiler)
	}
	object := filepath.Join(t.TempDir(), "program.o")
	args := append([]string{
		"-target", "bpf", "-mcpu=v2", "-O2", "-ffreestanding", "-fno-builtin", "-fno-jump-tables", "-mllvm", "-bpf-stack-size=4096",
		"-Wall", "-Wextra", "-Wno-unused-function", "-Werror", "-c", source, "-o", object,
	}, flags...)
	if out, err := exec.CommandContext(t.Context(), compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", source, err, out)
	}
	data, err := os.ReadFile(object)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The programs in the tree are what their sources compile to.
func TestPrograms(t *testing.T) {
	for _, name := range []string{"thread", "fiber", "probe"} {
		t.Run(name, func(t *testing.T) {
			made, err := Link(bytes.NewReader(compile(t, filepath.Join(sources, name+".c"))))
			if err != nil {
				t.Fatal(err)
			}
			kept := filepath.Join(sources, name+".so")
			if *update {
				if err := os.WriteFile(kept, made, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(kept); err != nil || !bytes.Equal(made, want) {
				t.Errorf("%s is not what its source compiles to: make solana-program does it anew, %v", kept, err)
			}
		})
	}
}

func TestLink(t *testing.T) {
	program, err := Link(bytes.NewReader(compileText(t, `unsigned entrypoint(void) { return 0; }`)))
	if err != nil {
		t.Fatal(err)
	}
	if len(program) != 136 { // a header, a segment, two instructions
		t.Errorf("an empty program has %d bytes", len(program))
	}
	file, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	if file.Entry != codeAt || len(file.Progs) != 1 || file.Progs[0].Flags != elf.PF_X || file.Progs[0].Vaddr != codeAt {
		t.Errorf("entry %#x, segments %+v", file.Entry, file.Progs)
	}
}

func compileText(t *testing.T, text string) []byte {
	t.Helper()
	source := filepath.Join(t.TempDir(), "program.c")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return compile(t, source)
}

func TestLinkRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"variable", `int n; int entrypoint(void) { return n++; }`, "holds variables"},
		{"no entry", `int other(void) { return 0; }`, "no function entrypoint"},
		{"not defined", `int memcpy2(int); int entrypoint(void) { return memcpy2(1); }`, "memcpy2 is not defined"},
		{"addresses", `static int a(void) { return 1; } static int b(void) { return 2; } int (*const f[])(void) = {a, b};
int entrypoint(const int *in) { return f[*in](); }`, "hold addresses"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Link(bytes.NewReader(compileText(t, c.text))); !errors.Is(err, ErrObject) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

// What is no object, or a broken one, is refused and never panics.
func TestLinkBroken(t *testing.T) {
	if _, err := Link(bytes.NewReader([]byte("no object"))); !errors.Is(err, ErrObject) {
		t.Error(err)
	}
	object := compile(t, filepath.Join(sources, "probe.c"))
	for n := 0; n < len(object); n += 7 {
		if _, err := Link(bytes.NewReader(object[:n])); !errors.Is(err, ErrObject) {
			t.Fatalf("an object of %d of its %d bytes: %v", n, len(object), err)
		}
	}
}

func FuzzLink(f *testing.F) {
	f.Add([]byte("\x7fELF"))
	f.Fuzz(func(t *testing.T, object []byte) {
		if _, err := Link(bytes.NewReader(object)); err != nil && !errors.Is(err, ErrObject) {
			t.Error(err)
		}
	})
}

// The names of calls hash to what the machine knows them by.
func TestMurmur3(t *testing.T) {
	for name, want := range map[string]uint32{"abort": 0xb6fc1a11, "sol_log_": 0x207559bd, "sol_invoke_signed_c": 0xa22b9c85, "sol_panic_": 0x686093bb} {
		if got := murmur3([]byte(name)); got != want {
			t.Errorf("%s: %#x, want %#x", name, got, want)
		}
	}
}
