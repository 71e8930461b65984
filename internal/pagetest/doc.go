// Package pagetest holds the command lines that pages show against the programs.
//
// It knows Markdown as far as pages use it, a little of a shell, and commands of Cobra. It must
// never know a program: each program's own tests bring its commands. Texts come in; what a
// program would not understand goes out.
package pagetest
