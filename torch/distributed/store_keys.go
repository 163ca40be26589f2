package distributed

import (
	"context"
	"errors"
	"time"

	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/torch"
)

// Set sets a key to a value.
func (s *Store) Set(key string, value []byte) error {
	const op = "distributed.Store.Set"
	if err := s.checkValue(op, "value", value); err != nil {
		return err
	}
	return s.withKeys(op, "key", []string{key}, func(raw native.Store) error {
		return storeError(op, raw.Set(key, value))
	})
}

// waitSlice is how long a cancellable call waits in native code before it checks its context again.
const waitSlice = 200 * time.Millisecond

// Get returns the value of a key. It waits until the key has a value, and fails with ErrTimeout
// after the context's deadline. If the context has none, the store's timeout applies.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	const op = "distributed.Store.Get"
	var value []byte
	err := s.waitInSlices(ctx, op, "key", []string{key}, func(raw native.Store, wait time.Duration) native.Status {
		var st native.Status
		value, st = raw.Get(key, wait.Milliseconds())
		return st
	})
	return value, err
}

// Wait waits until all keys have values. It has the same time limit as Get.
func (s *Store) Wait(ctx context.Context, keys ...string) error {
	const op = "distributed.Store.Wait"
	return s.waitInSlices(ctx, op, "keys", keys, func(raw native.Store, wait time.Duration) native.Status {
		return raw.Wait(keys, wait.Milliseconds())
	})
}

// waitInSlices calls fn, which waits for a short time, until it returns something other than a
// timeout, or until the context or the store's timeout ends.
func (s *Store) waitInSlices(ctx context.Context, op, arg string, keys []string,
	fn func(raw native.Store, wait time.Duration) native.Status,
) error {
	if s == nil {
		return argumentError(op, torch.ErrNil, "s", "is nil")
	}
	left, err := timeLimit(ctx, op, s.timeout)
	if err != nil {
		return err
	}
	end := time.Now().Add(left)
	for {
		wait := time.Until(end)
		if ctx.Done() != nil {
			wait = min(wait, waitSlice)
		}
		err := s.withKeys(op, arg, keys, func(raw native.Store) error {
			return storeError(op, fn(raw, max(wait, time.Millisecond)))
		})
		var e *Error
		if !errors.As(err, &e) || !errors.Is(e.Kind, ErrTimeout) {
			return err
		}
		if ctx.Err() != nil {
			return contextError(op, ctx.Err())
		}
		if time.Now().After(end) {
			// The deadline has passed, but the context's timer has not fired yet.
			if _, own := ctx.Deadline(); own {
				return contextError(op, context.DeadlineExceeded)
			}
			return e
		}
	}
}

// Add adds n to the counter of a key, which begins at 0, and returns the sum. It fails
// with torch.ErrValue if the key's value is not a number. Over TCP, Add checks the value
// first, because for such a value the server would close the connection. If another
// process sets an invalid value after the check, the server still closes the connection.
func (s *Store) Add(key string, n int64) (int64, error) {
	const op = "distributed.Store.Add"
	if err := s.checkCount(op, key); err != nil {
		return 0, err
	}
	var sum int64
	err := s.withKeys(op, "key", []string{key}, func(raw native.Store) error {
		var st native.Status
		sum, st = raw.Add(key, n)
		return storeError(op, st)
	})
	if isCountError(err) {
		err = argumentError(op, torch.ErrValue, "key", "the value of %.80q is not a number", key)
	}
	return sum, err
}

// Append appends to the value of a key. File stores do not support it.
func (s *Store) Append(key string, value []byte) error {
	const op = "distributed.Store.Append"
	if err := s.checkValue(op, "value", value); err != nil {
		return err
	}
	return s.withKeys(op, "key", []string{key}, func(raw native.Store) error {
		return storeError(op, raw.Append(key, value))
	})
}

// CompareSet sets a key to value if its current value is want, or if want is nil and the key has no
// value. It returns the value afterwards.
func (s *Store) CompareSet(key string, want, value []byte) ([]byte, error) {
	return s.compareSet("distributed.Store.CompareSet", key, want, value)
}

func (s *Store) compareSet(op, key string, want, value []byte) ([]byte, error) {
	if err := firstError(s.checkValue(op, "want", want), s.checkValue(op, "value", value)); err != nil {
		return nil, err
	}
	var after []byte
	err := s.withKeys(op, "key", []string{key}, func(raw native.Store) error {
		var st native.Status
		after, st = raw.CompareSet(key, want, value)
		return storeError(op, st)
	})
	return after, err
}

// DeleteKey deletes a key and reports whether it existed.
func (s *Store) DeleteKey(key string) (bool, error) {
	const op = "distributed.Store.DeleteKey"
	var was bool
	err := s.withKeys(op, "key", []string{key}, func(raw native.Store) error {
		var st native.Status
		was, st = raw.Delete(key)
		return storeError(op, st)
	})
	return was, err
}

// Check reports whether all keys have values, without waiting.
func (s *Store) Check(keys ...string) (bool, error) {
	const op = "distributed.Store.Check"
	var all bool
	err := s.withKeys(op, "keys", keys, func(raw native.Store) error {
		var st native.Status
		all, st = raw.Check(keys)
		return storeError(op, st)
	})
	return all, err
}

// NumKeys returns the number of keys, including some that the store itself sets.
func (s *Store) NumKeys() (int, error) {
	const op = "distributed.Store.NumKeys"
	var n int64
	err := s.withHandle(op, func(raw native.Store) error {
		var st native.Status
		n, st = raw.NumKeys()
		return storeError(op, st)
	})
	return int(n), err
}

// ListKeys returns all keys, in no particular order.
func (s *Store) ListKeys() ([]string, error) {
	const op = "distributed.Store.ListKeys"
	var keys []string
	err := s.withHandle(op, func(raw native.Store) error {
		var st native.Status
		keys, st = raw.List()
		return storeError(op, st)
	})
	if err != nil {
		return nil, err
	}
	return s.withoutPrefix(keys), nil
}
