package kit

// Row labels that several detail views share.
const (
	RowKey       = "Key"
	RowTitle     = "Title"
	RowNamespace = "Namespace"
	RowState     = "State"
	RowReason    = "Reason"
	RowEnded     = "Ended"
	RowCreated   = "Created"
)

// Deleted is the JSON name of the deleted object in the result of a command.
const Deleted = "deleted"
