TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
import csv, difflib, email, enum, graphlib, hashlib, html, http, hmac, inspect, ipaddress, logging, pathlib, pprint
import secrets, shlex, socket, ssl, tokenize, unicodedata, urllib.parse, uuid, xml.etree.ElementTree, zoneinfo, zlib
import argparse, ctypes, multiprocessing, optparse, selectors, subprocess, tempfile, timeit, traceback, unittest
logging.basicConfig(level=logging.INFO)
logging.info("noise")
uuid.uuid4(), secrets.token_hex(4), os_free if False else None
print(sum(map(int, input().split())))
