package output

import (
	"log/slog"
	"os"

	"github.com/lmittmann/tint"
	"github.com/mattn/go-isatty"

	"github.com/orthd/orth/job"
)

// NewLogger returns the logger of a process. The level is debug, info, warn or error; the
// format is text, json or auto: text on a terminal, otherwise JSON. Another value is
// job.Invalid, with a message about --log-level or --log-format.
func NewLogger(out *os.File, level, format string) (*slog.Logger, error) {
	var least slog.Level
	if err := least.UnmarshalText([]byte(level)); err != nil {
		return nil, job.FieldErrorf("--log-level", "must be debug, info, warn or error, got %q", level)
	}
	terminal := isatty.IsTerminal(out.Fd())
	switch {
	case format == "json", format == "auto" && !terminal:
		return slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: least})), nil
	case format == "text", format == "auto":
		return slog.New(tint.NewTextHandler(out, &tint.Options{Level: least, NoColor: !terminal})), nil
	}
	return nil, job.FieldErrorf("--log-format", "must be text, json or auto, got %q", format)
}
