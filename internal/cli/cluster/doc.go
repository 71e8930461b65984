// Package cluster implements the commands about servers: cluster, namespace, version, settings
// and mcp.
//
// It knows a server through the API only.
package cluster
