"""A link between two network namespaces that delays and loses packets, where the kernel has no netem.

link.py NAMESPACE NAMESPACE DELAY_MS LOSS_PERCENT. A line on standard input changes it: "silent" drops what the first one sends,
"back" ends that. It ends with its standard input.
"""
import fcntl, heapq, os, random, select, struct, subprocess, sys, time

names, delay, loss = sys.argv[1:3], float(sys.argv[3]) / 1000, float(sys.argv[4]) / 100


def open_end(name, own, other):
    fd = os.open('/dev/net/tun', os.O_RDWR)
    device = 'l' + name
    fcntl.ioctl(fd, 0x400454CA, struct.pack('16sH22s', device.encode(), 0x1001, b''))  # TUNSETIFF: IFF_TUN, IFF_NO_PI
    subprocess.run(['ip', 'link', 'set', device, 'netns', name], check=True)
    for words in (['addr', 'add', own, 'peer', other, 'dev', device], ['link', 'set', device, 'up'], ['link', 'set', 'lo', 'up'], ['route', 'add', '10.9.0.0/24', 'dev', device]):
        subprocess.run(['ip', '-n', name] + words, check=True)
    return fd


ends = [open_end(names[0], '10.9.0.1', '10.9.0.2'), open_end(names[1], '10.9.0.2', '10.9.0.1')]
print('up', flush=True)
flying, silent, number = [], False, 0
while True:
    wait = max(0, flying[0][0] - time.monotonic()) if flying else None
    for fd in select.select(ends + [0], [], [], wait)[0]:
        if fd == 0:
            word = os.read(0, 99)
            if not word:
                sys.exit()
            silent = b'silent' in word
            continue
        packet = os.read(fd, 65536)
        if (silent and fd == ends[0]) or random.random() < loss:
            continue
        number += 1
        heapq.heappush(flying, (time.monotonic() + delay, number, ends[1 - ends.index(fd)], packet))
    while flying and flying[0][0] <= time.monotonic():
        os.write(*heapq.heappop(flying)[2:])
