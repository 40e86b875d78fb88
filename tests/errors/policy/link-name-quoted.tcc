link "wan" { device "a" }
