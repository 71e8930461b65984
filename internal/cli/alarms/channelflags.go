package alarms

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
)

// secretFlag is the flag whose values must stay hidden.
const secretFlag = "secret"

// channelFlags holds the flags that describe a channel.
type channelFlags struct {
	title, titleTemplate, textTemplate string
	settings, secrets                  []string
	language                           kit.Choice
	perMinute                          int
	isDefault, disabled                bool
}

func (f *channelFlags) add(flags *pflag.FlagSet) {
	f.language = kit.NewChoice("", alarm.English, alarm.Chinese)
	flags.StringArrayVar(&f.settings, "set", nil, "setting as `name=value` or name=@file; may be repeated")
	flags.StringArrayVar(&f.secrets, secretFlag, nil, "secret as `name=-` (standard input) or name=@file; may be repeated")
	flags.BoolVar(&f.isDefault, "default", false, "use this channel for the mail addresses of jobs (email)")
	flags.Var(&f.language, "language", "language of the messages (default en)")
	flags.IntVar(&f.perMinute, "per-minute", 0, "maximum messages per minute; the rest is grouped into later messages (default 20)")
	flags.StringVar(&f.titleTemplate, "title-template", "", "`template` of the first line, or @file (default built in)")
	flags.StringVar(&f.textTemplate, "text-template", "", "`template` of the text, or @file (default built in)")
	flags.StringVar(&f.title, kit.TitleFlag, "", "display `name`")
	flags.BoolVar(&f.disabled, "disabled", false, "disable the channel")
}

// channelPatchFields maps the flags of a channel to the fields that they change.
func channelPatchFields() [][2]string {
	return [][2]string{
		{"set", "settings"},
		{secretFlag, "secrets"},
		{"default", "default"},
		{"language", "language"},
		{"per-minute", "per_minute"},
		{"title-template", "template.title"},
		{"text-template", "template.text"},
		{kit.TitleFlag, kit.TitleFlag},
		{"disabled", kit.FieldEnabled},
	}
}

// channel returns the channel that the flags describe.
func channel(t *kit.Tool, flags *pflag.FlagSet, f *channelFlags) (api.NewAlarmChannel, error) {
	wanted := api.NewAlarmChannel{AlarmChannelFields: api.AlarmChannelFields{
		Title: f.title, Default: f.isDefault, Language: f.language.Value, PerMinute: f.perMinute,
	}}
	if flags.Changed("disabled") {
		enabled := !f.disabled
		wanted.Enabled = &enabled
	}
	var err error
	if wanted.Settings, err = values(t, "set", f.settings); err != nil {
		return wanted, err
	}
	if wanted.Secrets, err = values(t, secretFlag, f.secrets); err != nil {
		return wanted, err
	}
	if wanted.Template.Title, err = fileOr("title-template", f.titleTemplate); err != nil {
		return wanted, err
	}
	wanted.Template.Text, err = fileOr("text-template", f.textTemplate)
	return wanted, err
}

// values parses name=value, name=@file and, for secrets, name=- for standard input.
func values(t *kit.Tool, flag string, texts []string) (map[string]string, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	values, plain, read := make(map[string]string, len(texts)), "", false
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			if flag == secretFlag { // the text may be a secret without a name: do not print it
				return nil, output.Usagef("--secret: use name=- for standard input, or name=@file")
			}
			return nil, output.Usagef("--%s: %q must have the form name=value", flag, text)
		}
		if _, twice := values[name]; twice {
			return nil, output.Usagef("--%s: %s is given twice", flag, name)
		}
		var err error
		switch {
		case flag == secretFlag && value == "-" && read:
			return nil, output.Usagef("--secret: only one secret can be read from standard input; put the others into files")
		case flag == secretFlag && value == "-":
			read = true
			value, err = kit.ReadValue(t.Stdin, "standard input")
		case strings.HasPrefix(value, "@"):
			value, err = fileOr(flag, value)
		case flag == secretFlag:
			plain = name
		}
		if err != nil {
			return nil, err
		}
		if flag == secretFlag && value == "" {
			return nil, output.Usagef("--secret: %s is empty", name)
		}
		values[name] = value
	}
	if plain != "" {
		t.PrintNote("Warning: the secret %s is visible in the process list and in the shell history. Use %s=- or %s=@file.", plain, plain, plain)
	}
	return values, nil
}

// fileOr returns the text, or the content of the file that follows an @.
func fileOr(flag, text string) (string, error) {
	path, named := strings.CutPrefix(text, "@")
	if !named {
		return text, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("--%s: %w", flag, err)
	}
	defer file.Close()
	return kit.ReadValue(file, path)
}

// channelKinds lists the kinds of channels.
func channelKinds() []string {
	names := make([]string, 0, len(alarm.ChannelKinds()))
	for _, kind := range alarm.ChannelKinds() {
		names = append(names, string(kind))
	}
	return names
}
