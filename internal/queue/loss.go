package queue

// Loss says that committed transactions are missing from a file: damage has taken
// them. It stays in the file until its owner has dealt with it.
type Loss byte

// How much is missing at most. The numbers are stored.
const (
	LossNone Loss = 0
	LossOne  Loss = 1 // one transaction, or some rows
	LossMany Loss = 2 // any number: the file may be an older state
)

// The row that says so. Back ends write it when they find damage, in the
// transaction that makes the rest of the file whole.
const (
	LossBucket = "loss"
	LossKey    = "loss"
)

// RecordLoss notes that transactions are missing, unless more is missing already.
func RecordLoss(tx Txn, l Loss) error {
	if l <= lossOf(tx) {
		return nil
	}
	return tx.Put(LossBucket, []byte(LossKey), []byte{byte(l)})
}

func lossOf(tx Txn) Loss {
	switch raw := tx.Get(LossBucket, []byte(LossKey)); {
	case raw == nil:
		return LossNone
	case len(raw) == 1 && Loss(raw[0]) == LossOne:
		return LossOne
	}
	return LossMany // or damaged itself
}

// Loss returns what damage has taken from the file and nobody has dealt with.
func (tx *Tx) Loss() Loss { return lossOf(tx.turn.txn) }

// ClearLoss says that the loss has been dealt with.
func (tx *Tx) ClearLoss() error {
	old := tx.get(LossBucket, []byte(LossKey))
	if old == nil {
		return nil
	}
	return tx.remove(LossBucket, []byte(LossKey), old)
}
