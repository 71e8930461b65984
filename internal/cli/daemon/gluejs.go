package daemon

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/handler/javascript"
)

// glueCommand is the hidden command by which an executor runs a JavaScript task in a
// child process.
const glueCommand = "glue-js"

// NewGlueJS is the child process of a task of JavaScript. It is not for users.
func NewGlueJS() *cobra.Command {
	return &cobra.Command{
		Use:    glueCommand + " FILE PARAM INDEX TOTAL",
		Hidden: true, DisableFlagParsing: true, Args: cobra.ExactArgs(4),
		Run: func(cmd *cobra.Command, args []string) {
			os.Exit(javascript.Main(args, os.Environ(), cmd.OutOrStdout()))
		},
	}
}
