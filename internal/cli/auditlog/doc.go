// Package auditlog implements orth audit: list, verify, export and prune the audit log.
//
// Package audit verifies the chain of lines; here they are read from a server or a file.
package auditlog
