package distributed

// LostAfter is how long a connection has to be gone until its rank counts as lost.
const LostAfter = beats * beat
