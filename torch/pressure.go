package torch

// relieve runs after every crossing.
func relieve() {}
