// Package users implements orth user, token and whoami: users, their grants, passwords, sessions
// and tokens.
//
// It knows users through the API only. Signing in belongs to package contexts.
package users
