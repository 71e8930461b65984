// Package access has the words of who may do what: rights, roles, grants,
// principals, and the pure decision whether a principal has a right on an object.
//
// It knows nothing of passwords, tokens, HTTP or rows: whoever has found out who
// calls makes a [Principal] of it, and whoever is about to act asks
// [Principal.May] about the object as it is stored, never about the one that a
// request describes. What nobody has granted is denied, and no grants mean no
// rights.
package access
