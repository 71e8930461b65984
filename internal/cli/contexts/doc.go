// Package contexts implements orth context, login and logout: servers by name, and the tokens
// for them.
//
// Package kit reads the file of contexts; here it is changed. A token is never printed.
package contexts
