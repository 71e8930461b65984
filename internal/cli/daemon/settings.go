package daemon

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

// envPrefix is the prefix of environment variables with settings: --lease-ttl is
// ORTH_LEASE_TTL.
const envPrefix = "ORTH_"

// origins records the sources of settings: by name, those that are not defaults, and the
// file of those from a file.
type origins struct {
	of   map[string]api.Source
	file string
}

// loadSettings fills target, a struct with koanf tags named like the flags of the command,
// from, in increasing precedence: flag defaults, the file of --config, the environment,
// and the given flags. An unknown key in the file is an error. It returns the sources.
func loadSettings(cmd *cobra.Command, target any) (origins, error) {
	k := koanf.New(".")
	defaults, given := make(map[string]any), make(map[string]any)
	var known, lists []string
	flags := make(map[string]*pflag.Flag)
	from := origins{of: make(map[string]api.Source)}
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" || f.Name == "config" {
			return
		}
		known, flags[f.Name] = append(known, f.Name), f
		if _, list := f.Value.(pflag.SliceValue); list {
			lists = append(lists, f.Name)
		}
		defaults[f.Name] = flagValue(f)
		if f.Changed {
			given[f.Name] = flagValue(f)
		}
	})
	if err := k.Load(confmap.Provider(defaults, "."), nil); err != nil {
		return from, fmt.Errorf("load the defaults: %w", err)
	}
	if err := loadFile(cmd, k, flags, &from); err != nil {
		return from, err
	}
	var unfit error
	environment := env.Provider(".", env.Opt{Prefix: envPrefix, TransformFunc: func(key, value string) (string, any) {
		name := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(key, envPrefix)), "_", "-")
		if !slices.Contains(known, name) {
			return "", nil
		}
		from.of[name] = api.FromEnvironment
		if slices.Contains(lists, name) {
			return name, strings.Split(value, ",") // like the flag
		}
		if wrong := misfit(flags[name], value); wrong != "" && given[name] == nil {
			unfit = job.Errorf(job.Invalid, "%s: %s", key, wrong)
		}
		return name, value
	}})
	if err := cmp.Or(k.Load(environment, nil), unfit); err != nil {
		return from, err
	}
	if err := k.Load(confmap.Provider(given, "."), nil); err != nil {
		return from, fmt.Errorf("load the flags: %w", err)
	}
	if err := k.Unmarshal("", target); err != nil {
		return from, job.Errorf(job.Invalid, "load the settings: %w", err)
	}
	for name := range given {
		from.of[name] = api.FromFlag
	}
	return from, nil
}

func flagValue(f *pflag.Flag) any {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return f.Value.String()
}

// misfit describes an invalid number, duration or boolean from the file or the
// environment, "" for a valid one.
func misfit(f *pflag.Flag, value any) string {
	text := fmt.Sprint(value)
	switch kind := f.Value.Type(); {
	case value == nil, kind == "string", text == "" && kind != "duration":
		return ""
	}
	was := f.Value.String()
	err := f.Value.Set(text)
	if err == nil {
		_ = f.Value.Set(was) // restore the previous, valid value
		return ""
	}
	return output.Unfit(f, text, err)
}

func loadFile(cmd *cobra.Command, k *koanf.Koanf, known map[string]*pflag.Flag, from *origins) error {
	path, err := cmd.Flags().GetString("config")
	if err != nil || path == "" {
		return err
	}
	read := koanf.New(".")
	if err := read.Load(file.Provider(path), yaml.Parser()); err != nil {
		return job.Errorf(job.Invalid, "read the settings file %s: %w", path, err)
	}
	for _, key := range read.Keys() {
		setting := known[key]
		if setting == nil {
			hint := "the settings are " + strings.Join(slices.Sorted(maps.Keys(known)), ", ")
			if like := output.LikeFlag(cmd.LocalNonPersistentFlags(), key); known[like] != nil {
				hint = fmt.Sprintf("did you mean %q?", like)
			}
			return &job.Error{Kind: job.Invalid, Field: path, Message: fmt.Sprintf("%q is not a setting", key), Hint: hint}
		}
		if _, list := setting.Value.(pflag.SliceValue); !list {
			if wrong := misfit(setting, read.Get(key)); wrong != "" {
				return job.FieldErrorf(path, "%s: %s", key, wrong)
			}
		}
		from.of[key], from.file = api.FromFile, path
	}
	return k.Merge(read)
}

// logSettings holds the logging settings.
type logSettings struct {
	LogLevel  string `koanf:"log-level"`
	LogFormat string `koanf:"log-format"`
}

func logFlags(f *pflag.FlagSet) {
	f.String("config", "", "YAML configuration `file`; its keys are the names of these flags")
	f.String("log-level", "info", "minimum log level: debug, info, warn or error")
	f.String("log-format", "auto", "log format: text, json, or auto (text on a terminal, otherwise json)")
}

// logger returns the logger of the process on standard error.
func (l logSettings) logger() (*slog.Logger, error) {
	return output.NewLogger(os.Stderr, l.LogLevel, l.LogFormat)
}
