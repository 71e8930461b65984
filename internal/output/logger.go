package output

import (
	"log/slog"
	"os"

	"github.com/lmittmann/tint"
	"github.com/mattn/go-isatty"

	"github.com/orthd/orth/job"
)

// NewLogger returns a process's logger. The level is debug, info, warn or error; the
// format text, json, or auto, which is text on a terminal and JSON elsewhere. Another
// word is job.Invalid in the words of the flags --log-level and --log-format.
func NewLogger(out *os.File, level, format string) (*slog.Logger, error) {
	var least slog.Level
	if err := least.UnmarshalText([]byte(level)); err != nil {
		return nil, job.FieldErrorf("--log-level", "%q is unknown; use debug, info, warn or error", level)
	}
	terminal := isatty.IsTerminal(out.Fd())
	switch {
	case format == "json", format == "auto" && !terminal:
		return slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: least})), nil
	case format == "text", format == "auto":
		return slog.New(tint.NewTextHandler(out, &tint.Options{Level: least, NoColor: !terminal})), nil
	}
	return nil, job.FieldErrorf("--log-format", "%q is unknown; use text, json or auto", format)
}
