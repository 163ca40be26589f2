package distributed

import (
	native "github.com/gotorch/gotorch/cgotorch/c10d"
)

// QueuePush appends a value to a queue. File stores do not support queues.
func (s *Store) QueuePush(queue string, value []byte) error {
	const op = "distributed.Store.QueuePush"
	if err := s.checkValue(op, "value", value); err != nil {
		return err
	}
	return s.withKeys(op, "queue", []string{queue}, func(raw native.Store) error {
		return storeError(op, raw.Push(queue, value))
	})
}

// QueuePop removes and returns the first value of a queue. ok is false if the queue is empty.
func (s *Store) QueuePop(queue string) (value []byte, ok bool, err error) {
	const op = "distributed.Store.QueuePop"
	err = s.withKeys(op, "queue", []string{queue}, func(raw native.Store) error {
		var st native.Status
		value, ok, st = raw.Pop(queue)
		return storeError(op, st)
	})
	return value, ok, err
}

// QueueLen returns the number of values in a queue.
func (s *Store) QueueLen(queue string) (int, error) {
	const op = "distributed.Store.QueueLen"
	var n int64
	err := s.withKeys(op, "queue", []string{queue}, func(raw native.Store) error {
		var st native.Status
		n, st = raw.QueueLen(queue)
		return storeError(op, st)
	})
	return int(n), err
}
