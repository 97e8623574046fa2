package num

import "testing"

func TestNothing(t *testing.T) {}
