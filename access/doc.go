// Package access defines authorization: rights, roles, grants, principals, and the pure
// decision whether a principal has a right on an object.
//
// It knows nothing of passwords, tokens, HTTP or rows. Authentication creates a
// [Principal]. Code that acts asks [Principal.May] about the stored object, never about the
// one in a request. Access is denied by default, and a principal without grants has no
// rights.
package access
