/* Writes what a program sends to the file named by NETLINK_CAPTURE: one hexadecimal line a call. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>

static void record(const struct iovec *parts, size_t count)
{
	const char *path = getenv("NETLINK_CAPTURE");
	FILE *file = path ? fopen(path, "a") : NULL;
	size_t i, j;

	if (!file)
		return;
	for (i = 0; i < count; i++)
		for (j = 0; j < parts[i].iov_len; j++)
			fprintf(file, "%02x", ((unsigned char *)parts[i].iov_base)[j]);
	fputc('\n', file);
	fclose(file);
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags)
{
	ssize_t (*real)(int, const struct msghdr *, int) = dlsym(RTLD_NEXT, "sendmsg");

	record(message->msg_iov, message->msg_iovlen);
	return real(socket, message, flags);
}

ssize_t send(int socket, const void *data, size_t size, int flags)
{
	ssize_t (*real)(int, const void *, size_t, int) = dlsym(RTLD_NEXT, "send");
	struct iovec part = { (void *)data, size };

	record(&part, 1);
	return real(socket, data, size, flags);
}
