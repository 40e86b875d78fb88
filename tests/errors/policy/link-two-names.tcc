link wan lan { device "a" }
