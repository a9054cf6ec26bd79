"""The floor of a first request: parse arguments, ask once, print the answer as it streams. Standard library only."""

import argparse
import http.client
import json
import os
import urllib.parse

parser = argparse.ArgumentParser()
parser.add_argument("-p", dest="text", required=True)
parser.add_argument("--model", required=True)
parser.add_argument("--api-base", required=True)
arguments = parser.parse_args()

url = urllib.parse.urlsplit(arguments.api_base)
connection = http.client.HTTPConnection(url.netloc)
body = {"model": arguments.model, "stream": True, "messages": [{"role": "user", "content": arguments.text}]}
headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
connection.request("POST", url.path + "/chat/completions", json.dumps(body), headers)
for line in connection.getresponse():
    if line.startswith(b"data: {"):
        for choice in json.loads(line[6:])["choices"]:
            print(choice["delta"].get("content") or "", end="", flush=True)
print()
