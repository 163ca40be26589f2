package data

import "sync"

// taskQueue holds the tasks of one worker. It is not a channel, because one worker may get
// the tasks of all workers. Channels with that much room for every worker would take memory
// quadratic in the number of workers.
type taskQueue struct {
	mu     sync.Mutex
	more   sync.Cond
	tasks  []task
	closed bool
}

func newTaskQueue() *taskQueue {
	q := &taskQueue{}
	q.more.L = &q.mu
	return q
}

func (q *taskQueue) put(t task) {
	q.mu.Lock()
	q.tasks = append(q.tasks, t)
	q.mu.Unlock()
	q.more.Signal()
}

// take waits for the next task. It returns false once the queue is closed and empty.
func (q *taskQueue) take() (t task, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.tasks) == 0 && !q.closed {
		q.more.Wait()
	}
	if len(q.tasks) == 0 {
		return task{}, false
	}
	t, q.tasks[0] = q.tasks[0], task{}
	q.tasks = q.tasks[1:]
	return t, true
}

func (q *taskQueue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.more.Broadcast()
}
