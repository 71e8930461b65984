package cli

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/handler/javascript"
)

// glueCommand is the command with which an executor runs itself for a task of
// JavaScript.
const glueCommand = "glue-js"

// newGlueJS is the child process of a task of JavaScript. It is not for people.
func newGlueJS() *cobra.Command {
	return &cobra.Command{
		Use:    glueCommand + " FILE PARAM INDEX TOTAL",
		Hidden: true, DisableFlagParsing: true, Args: cobra.ExactArgs(4),
		Run: func(cmd *cobra.Command, args []string) {
			os.Exit(javascript.Main(args, os.Environ(), cmd.OutOrStdout()))
		},
	}
}
