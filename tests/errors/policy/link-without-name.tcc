link { device "a" }
