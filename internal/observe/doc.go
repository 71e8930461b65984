// Package observe shows a process's figures and its health to Prometheus and to
// whoever watches over it, by HTTP.
//
// It knows names, labels and values of samples, the text format, and the figures
// of the Go runtime and of the process. It must never know what a sample means, a
// queue, a run or a secret. A function that takes a snapshot and one that tells
// of the health come in; two pages go out.
package observe
