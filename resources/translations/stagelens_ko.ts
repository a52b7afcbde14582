<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ko" sourcelanguage="en_US">
<context>
    <name>Words</name>
    <message>
        <source>Compare this plan with </source>
        <translation>이 계획과 비교: </translation>
    </message>
    <message>
        <source>Add this plan</source>
        <translation>이 계획 추가</translation>
    </message>
    <message>
        <source>Compare this plan with the baseline</source>
        <translation>이 계획을 기준과 비교</translation>
    </message>
    <message>
        <source>Compare experiments</source>
        <translation>실험 비교</translation>
    </message>
    <message>
        <source>Experiments (*.stagelens.json);;All files (*)</source>
        <translation>실험 (*.stagelens.json);;모든 파일 (*)</translation>
    </message>
    <message>
        <source>%1 was not added. %2</source>
        <translation>%1을(를) 추가하지 않았습니다. %2</translation>
    </message>
    <message>
        <source>Run %1: %2</source>
        <translation>실행 %1: %2</translation>
    </message>
    <message>
        <source>there are no results to export yet; start the sweep</source>
        <translation>아직 내보낼 결과가 없습니다. 스윕을 시작하십시오</translation>
    </message>
    <message>
        <source>Explore, Compare and Sweep have a picture to export</source>
        <translation>탐색, 비교, 스윕에는 내보낼 그림이 있습니다</translation>
    </message>
    <message>
        <source>the picture shows the last valid plan; mend the experiment before you export it</source>
        <translation>그림은 마지막 올바른 계획입니다. 내보내기 전에 실험을 고치십시오</translation>
    </message>
    <message>
        <source>Explore and Sweep have data to export</source>
        <translation>탐색과 스윕에는 내보낼 데이터가 있습니다</translation>
    </message>
    <message>
        <source>a sweep has results and no trace; open one of its plans in Explore</source>
        <translation>스윕에는 결과만 있고 트레이스가 없습니다. 계획 하나를 탐색에서 여십시오</translation>
    </message>
    <message>
        <source>Export the picture</source>
        <translation>그림 내보내기</translation>
    </message>
    <message>
        <source>Export the data</source>
        <translation>데이터 내보내기</translation>
    </message>
    <message>
        <source>Export run %1</source>
        <translation>실행 %1 내보내기</translation>
    </message>
    <message>
        <source>not possible here</source>
        <translation>여기서는 불가능</translation>
    </message>
    <message>
        <source>Experiments, models, schedules (*.stagelens.json config.json *.csv *.txt);;All files (*)</source>
        <translation>실험, 모델, 스케줄 (*.stagelens.json config.json *.csv *.txt);;모든 파일 (*)</translation>
    </message>
    <message>
        <source>Last session</source>
        <translation>지난 세션</translation>
    </message>
    <message>
        <source> The last session cannot be read, so the demo is open: </source>
        <translation> 지난 세션을 읽을 수 없어 데모를 열었습니다: </translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>제목 없음</translation>
    </message>
    <message>
        <source>Model from </source>
        <translation>모델 출처: </translation>
    </message>
    <message>
        <source>The model is now that of %1: %2 layers, hidden width %3, vocabulary %4, sequences of %5.</source>
        <translation>모델은 이제 %1의 것입니다: 레이어 %2개, 은닉 폭 %3, 어휘 %4, 시퀀스 길이 %5.</translation>
    </message>
    <message>
        <source> Its weights would be another model&apos;s here: </source>
        <translation> 그 가중치를 여기서 쓰면 다른 모델이 됩니다: </translation>
    </message>
    <message>
        <source>Open an experiment, a model or a schedule</source>
        <translation>실험, 모델 또는 스케줄 열기</translation>
    </message>
    <message>
        <source>Import the model of a config.json of Hugging Face</source>
        <translation>Hugging Face config.json의 모델 가져오기</translation>
    </message>
    <message>
        <source>Models (config.json *.json);;All files (*)</source>
        <translation>모델 (config.json *.json);;모든 파일 (*)</translation>
    </message>
    <message>
        <source>Save the experiment</source>
        <translation>실험 저장</translation>
    </message>
    <message>
        <source>The experiment was not saved. </source>
        <translation>실험을 저장하지 않았습니다. </translation>
    </message>
    <message>
        <source>New experiment</source>
        <translation>새 실험</translation>
    </message>
    <message>
        <source>No file was opened yet</source>
        <translation>아직 연 파일이 없습니다</translation>
    </message>
    <message>
        <source>Import a measured timeline: the traces of all ranks</source>
        <translation>측정 타임라인 가져오기: 모든 랭크의 트레이스</translation>
    </message>
    <message>
        <source>%1 is still being imported. Wait for it or cancel it first.</source>
        <translation>%1을(를) 아직 가져오는 중입니다. 기다리거나 먼저 취소하십시오.</translation>
    </message>
    <message>
        <source>Reading %1…</source>
        <translation>%1 읽는 중…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Reading %1… %2</source>
        <translation>%1 읽는 중… %2</translation>
    </message>
    <message>
        <source>Storing %1…</source>
        <translation>%1 저장 중…</translation>
    </message>
    <message>
        <source>The import of %1 was cancelled. Nothing was stored.</source>
        <translation>%1 가져오기를 취소했습니다. 아무것도 저장하지 않았습니다.</translation>
    </message>
    <message>
        <source>Nothing was imported. </source>
        <translation>아무것도 가져오지 않았습니다. </translation>
    </message>
    <message>
        <source>Imported as run %1: %2.</source>
        <translation>실행 %1(으)로 가져왔습니다: %2.</translation>
    </message>
    <message>
        <source>1 step</source>
        <translation>1스텝</translation>
    </message>
    <message>
        <source>%1 steps</source>
        <translation>%1스텝</translation>
    </message>
    <message>
        <source> %1 at the trace&apos;s ends were not whole and are left out.</source>
        <translation> 트레이스 양끝의 불완전한 스텝 %1개는 제외했습니다.</translation>
    </message>
    <message>
        <source>None yet: Train (F5) makes one</source>
        <translation>아직 없음: 학습(F5)하면 생깁니다</translation>
    </message>
    <message>
        <source>Run %1 · %2 · %3 steps · %4</source>
        <translation>실행 %1 · %2 · %3스텝 · %4</translation>
    </message>
    <message>
        <source>Runs of this plan</source>
        <translation>이 계획의 실행</translation>
    </message>
    <message>
        <source>Looking for runs…</source>
        <translation>실행을 찾는 중…</translation>
    </message>
    <message>
        <source>Step of run %1</source>
        <translation>실행 %1의 스텝</translation>
    </message>
    <message>
        <source>%1: step %2, %3</source>
        <translation>%1: 스텝 %2, %3</translation>
    </message>
    <message>
        <source>Median</source>
        <translation>중앙값</translation>
    </message>
    <message>
        <source>Fastest</source>
        <translation>가장 빠름</translation>
    </message>
    <message>
        <source>Slowest</source>
        <translation>가장 느림</translation>
    </message>
    <message>
        <source>First</source>
        <translation>처음</translation>
    </message>
    <message>
        <source>Last</source>
        <translation>마지막</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>닫기</translation>
    </message>
    <message>
        <source>Vocabulary layers</source>
        <translation>어휘 레이어</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>스케줄</translation>
    </message>
    <message>
        <source>Use </source>
        <translation>사용: </translation>
    </message>
    <message>
        <source>Open </source>
        <translation>열기: </translation>
    </message>
    <message>
        <source>Show the plan of run %1</source>
        <translation>실행 %1의 계획 보기</translation>
    </message>
    <message>
        <source>Costs from run %1</source>
        <translation>실행 %1의 비용</translation>
    </message>
    <message>
        <source>No copy of this plan is small enough for this computer. Use fewer layers, devices or microbatches.</source>
        <translation>이 계획의 어떤 사본도 이 컴퓨터에 맞지 않습니다. 레이어, 장치 또는 마이크로배치를 줄이십시오.</translation>
    </message>
    <message>
        <source>Scaled copy of </source>
        <translation>축소 사본: </translation>
    </message>
    <message>
        <source>The prediction was cancelled: this is the last plan that was computed.</source>
        <translation>예측을 취소했습니다. 마지막으로 계산한 계획입니다.</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>계산</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>%1 사용</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>Show the text</source>
        <translation>텍스트 보기</translation>
    </message>
    <message>
        <source>Import schedule…</source>
        <translation>스케줄 가져오기…</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>실행 취소</translation>
    </message>
    <message>
        <source>Undo %1 steps</source>
        <translation>%1단계 실행 취소</translation>
    </message>
    <message>
        <source>Delete run %1</source>
        <translation>실행 %1 삭제</translation>
    </message>
    <message>
        <source>Delete %1 runs</source>
        <translation>실행 %1개 삭제</translation>
    </message>
    <message>
        <source>This is the plan of run %1.</source>
        <translation>실행 %1의 계획입니다.</translation>
    </message>
    <message>
        <source>Back to my plan</source>
        <translation>내 계획으로</translation>
    </message>
    <message>
        <source>This run is going on. Stop it first (Shift+F5).</source>
        <translation>이 실행은 진행 중입니다. 먼저 중지하십시오(Shift+F5).</translation>
    </message>
    <message>
        <source>Run %1 is deleted.</source>
        <translation>실행 %1을(를) 삭제했습니다.</translation>
    </message>
    <message>
        <source>%1 runs are deleted.</source>
        <translation>실행 %1개를 삭제했습니다.</translation>
    </message>
    <message>
        <source> So were %1 others.</source>
        <translation> 다른 %1개도 삭제했습니다.</translation>
    </message>
    <message>
        <source> What was measured remains.</source>
        <translation> 측정된 것은 남아 있습니다.</translation>
    </message>
    <message>
        <source>Show it</source>
        <translation>보기</translation>
    </message>
    <message>
        <source>The order is now your own; it begins as it was. Change its text, drag passes in the picture, or take one from a file.</source>
        <translation>이제 순서를 직접 정합니다. 시작은 그대로입니다. 텍스트를 바꾸거나, 그림에서 패스를 끌거나, 파일에서 가져오십시오.</translation>
    </message>
    <message>
        <source>The pass stays where it is. </source>
        <translation>패스는 제자리에 있습니다. </translation>
    </message>
    <message>
        <source>Schedule as text</source>
        <translation>텍스트로 된 스케줄</translation>
    </message>
    <message>
        <source>%1 passes are too many to be shown as text; passes can still be moved in the picture.</source>
        <translation>패스 %1개는 텍스트로 보이기에 너무 많습니다. 그림에서는 옮길 수 있습니다.</translation>
    </message>
    <message>
        <source> Type, or drag a pass in the picture; what is changed becomes a custom order.</source>
        <translation> 입력하거나 그림에서 패스를 끌어 옮기십시오. 바꾼 순서는 사용자 순서가 됩니다.</translation>
    </message>
    <message>
        <source>The order of %1.</source>
        <translation>%1의 순서.</translation>
    </message>
    <message>
        <source>A custom order, which no family makes.</source>
        <translation>어떤 계열에도 없는 사용자 순서.</translation>
    </message>
    <message>
        <source>This is %1.</source>
        <translation>이것은 %1입니다.</translation>
    </message>
    <message>
        <source> It comes from %1.</source>
        <translation> 출처: %1.</translation>
    </message>
    <message>
        <source>The picture shows the last valid plan: mend the experiment first.</source>
        <translation>그림은 마지막 올바른 계획입니다. 먼저 실험을 고치십시오.</translation>
    </message>
    <message>
        <source>Move %1 of device %2</source>
        <translation>장치 %2의 %1 옮기기</translation>
    </message>
    <message>
        <source>Schedule from %1</source>
        <translation>%1의 스케줄</translation>
    </message>
    <message>
        <source>%1 has faults, which are marked in its text. What you change stays in the experiment.</source>
        <translation>%1에 오류가 있어 텍스트에 표시했습니다. 바꾼 내용은 실험에 남습니다.</translation>
    </message>
    <message>
        <source>The picture shows the last valid plan; mend the experiment before its order is written.</source>
        <translation>그림은 마지막 올바른 계획입니다. 순서를 내보내기 전에 실험을 고치십시오.</translation>
    </message>
    <message>
        <source>The schedule was not written. </source>
        <translation>스케줄을 내보내지 않았습니다. </translation>
    </message>
    <message>
        <source>%1 was written without a part: %2.</source>
        <translation>%1을(를) 일부 없이 내보냈습니다: %2.</translation>
    </message>
    <message>
        <source>Edit the order</source>
        <translation>순서 편집</translation>
    </message>
    <message>
        <source>Open a file…</source>
        <translation>파일 열기…</translation>
    </message>
    <message>
        <source>Import schedule</source>
        <translation>스케줄 가져오기</translation>
    </message>
    <message>
        <source>Schedules (*.csv *.txt *.schedule);;All files (*)</source>
        <translation>스케줄 (*.csv *.txt *.schedule);;모든 파일 (*)</translation>
    </message>
    <message>
        <source>PyTorch CSV, passes alone (*.csv)</source>
        <translation>패스만 있는 PyTorch CSV (*.csv)</translation>
    </message>
    <message>
        <source>PyTorch CSV with messages, 2.15 and later (*.csv)</source>
        <translation>메시지가 있는 PyTorch CSV, 2.15 이후 (*.csv)</translation>
    </message>
    <message>
        <source>PyTorch CSV with messages, up to 2.14 (*.csv)</source>
        <translation>메시지가 있는 PyTorch CSV, 2.14까지 (*.csv)</translation>
    </message>
    <message>
        <source>Stagelens text (*.txt)</source>
        <translation>Stagelens 텍스트 (*.txt)</translation>
    </message>
    <message>
        <source>Export schedule</source>
        <translation>스케줄 내보내기</translation>
    </message>
    <message>
        <source>Choose another file</source>
        <translation>다른 파일 선택</translation>
    </message>
    <message>
        <source>A run is going on. Stop it before another database is opened.</source>
        <translation>실행이 진행 중입니다. 다른 데이터베이스를 열기 전에 중지하십시오.</translation>
    </message>
    <message>
        <source>Where runs are stored</source>
        <translation>실행을 저장하는 곳</translation>
    </message>
    <message>
        <source>Databases (*.db)</source>
        <translation>데이터베이스 (*.db)</translation>
    </message>
    <message>
        <source>&amp;Train %1 steps</source>
        <translation>%1스텝 학습(&amp;T)</translation>
    </message>
    <message>
        <source>Train %1 steps</source>
        <translation>%1스텝 학습</translation>
    </message>
    <message>
        <source> (F5)</source>
        <translation> (F5)</translation>
    </message>
    <message>
        <source>Stagelens checks whether this computer can run the plan.</source>
        <translation>이 컴퓨터에서 계획을 실행할 수 있는지 Stagelens가 확인합니다.</translation>
    </message>
    <message>
        <source>&amp;New</source>
        <translation>새로 만들기(&amp;N)</translation>
    </message>
    <message>
        <source>The default plan: gpt-demo on 4 devices</source>
        <translation>기본 계획: 장치 4개의 gpt-demo</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>열기(&amp;O)…</translation>
    </message>
    <message>
        <source>Open an experiment, a model&apos;s config.json, or a schedule</source>
        <translation>실험, 모델의 config.json 또는 스케줄 열기</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>저장(&amp;S)</translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation>다른 이름으로 저장(&amp;A)…</translation>
    </message>
    <message>
        <source>Save the experiment under another name</source>
        <translation>실험을 다른 이름으로 저장</translation>
    </message>
    <message>
        <source>&amp;Import a measured timeline…</source>
        <translation>측정 타임라인 가져오기(&amp;I)…</translation>
    </message>
    <message>
        <source>Chrome or Kineto traces with events named PP:0F0, of all ranks</source>
        <translation>모든 랭크의 Chrome 또는 Kineto 트레이스, 이벤트 이름은 PP:0F0</translation>
    </message>
    <message>
        <source>P&amp;NG…</source>
        <translation>P&amp;NG…</translation>
    </message>
    <message>
        <source>&amp;SVG…</source>
        <translation>&amp;SVG…</translation>
    </message>
    <message>
        <source>P&amp;DF…</source>
        <translation>P&amp;DF…</translation>
    </message>
    <message>
        <source>&amp;Chrome trace…</source>
        <translation>&amp;Chrome 트레이스…</translation>
    </message>
    <message>
        <source>With messages and memory; opens in Perfetto (stagelens-cli export --format chrome-trace)</source>
        <translation>메시지와 메모리 포함. Perfetto에서 열 수 있음(stagelens-cli export --format chrome-trace)</translation>
    </message>
    <message>
        <source>&amp;CSV…</source>
        <translation>&amp;CSV…</translation>
    </message>
    <message>
        <source>A row for each pass; in Sweep, for each result</source>
        <translation>패스마다 한 행, 스윕에서는 결과마다 한 행</translation>
    </message>
    <message>
        <source>&amp;JSON…</source>
        <translation>&amp;JSON…</translation>
    </message>
    <message>
        <source>With every figure; in Sweep, of each result</source>
        <translation>모든 수치와 함께. 스윕에서는 결과마다</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>끝내기(&amp;Q)</translation>
    </message>
    <message>
        <source>Close the window</source>
        <translation>창 닫기</translation>
    </message>
    <message>
        <source>&amp;Copy picture</source>
        <translation>그림 복사(&amp;C)</translation>
    </message>
    <message>
        <source>The timeline as an image</source>
        <translation>타임라인 그림</translation>
    </message>
    <message>
        <source>Use this plan as &amp;baseline</source>
        <translation>이 계획을 기준으로(&amp;B)</translation>
    </message>
    <message>
        <source>Differences are shown against this plan from now on</source>
        <translation>이제부터 차이를 이 계획 대비로 표시합니다</translation>
    </message>
    <message>
        <source>Use &amp;1F1B as baseline</source>
        <translation>1F1B를 기준으로(&amp;1)</translation>
    </message>
    <message>
        <source>The baseline is 1F1B without vocabulary parallelism again</source>
        <translation>기준을 다시 어휘 병렬 없는 1F1B로 합니다</translation>
    </message>
    <message>
        <source>Do what the &amp;headline proposes</source>
        <translation>제안대로 하기(&amp;H)</translation>
    </message>
    <message>
        <source>The one change that helps most</source>
        <translation>가장 도움이 되는 변경 하나</translation>
    </message>
    <message>
        <source>&amp;Train</source>
        <translation>학습(&amp;T)</translation>
    </message>
    <message>
        <source>Train a scaled &amp;copy here…</source>
        <translation>여기서 축소 사본 학습(&amp;C)…</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>중지(&amp;S)</translation>
    </message>
    <message>
        <source>Stop the run; what was measured is kept</source>
        <translation>실행을 중지합니다. 측정한 것은 보존합니다</translation>
    </message>
    <message>
        <source>&amp;Fit the whole iteration</source>
        <translation>전체 반복에 맞추기(&amp;F)</translation>
    </message>
    <message>
        <source>Show all of the time axis (0 over the picture)</source>
        <translation>시간 축 전체 표시(그림 위에서 0)</translation>
    </message>
    <message>
        <source>&amp;Explore</source>
        <translation>탐색(&amp;E)</translation>
    </message>
    <message>
        <source>One plan: predict, train, ask</source>
        <translation>계획 하나: 예측, 학습, 질문</translation>
    </message>
    <message>
        <source>&amp;Compare</source>
        <translation>비교(&amp;C)</translation>
    </message>
    <message>
        <source>Two to six runs, predictions or experiments on one axis</source>
        <translation>한 축 위의 실행, 예측 또는 실험 2~6개</translation>
    </message>
    <message>
        <source>S&amp;weep</source>
        <translation>스윕(&amp;W)</translation>
    </message>
    <message>
        <source>Many plans at once, in two linked plots</source>
        <translation>여러 계획을 연결된 두 그래프로</translation>
    </message>
    <message>
        <source>&amp;Learn</source>
        <translation>배우기(&amp;L)</translation>
    </message>
    <message>
        <source>What the schedules and methods are</source>
        <translation>스케줄과 방법이 무엇인지</translation>
    </message>
    <message>
        <source>Import a &amp;Hugging Face config.json…</source>
        <translation>&amp;Hugging Face config.json 가져오기…</translation>
    </message>
    <message>
        <source>The model of a config.json (GPT-2 or Llama) takes the place of this one</source>
        <translation>config.json의 모델(GPT-2 또는 Llama)이 지금 모델을 대신합니다</translation>
    </message>
    <message>
        <source>All &amp;settings</source>
        <translation>모든 설정(&amp;S)</translation>
    </message>
    <message>
        <source>Every field of the experiment</source>
        <translation>실험의 모든 항목</translation>
    </message>
    <message>
        <source>Next &amp;pane</source>
        <translation>다음 영역(&amp;P)</translation>
    </message>
    <message>
        <source>Walk through strip, editor, timeline and runs</source>
        <translation>계획 띠, 편집기, 타임라인, 실행을 차례로 이동</translation>
    </message>
    <message>
        <source>Dark where the desktop is dark</source>
        <translation>데스크톱이 어두우면 어둡게</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>밝게(&amp;L)</translation>
    </message>
    <message>
        <source>Light colours</source>
        <translation>밝은 색</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>어둡게(&amp;D)</translation>
    </message>
    <message>
        <source>Dark colours</source>
        <translation>어두운 색</translation>
    </message>
    <message>
        <source>&amp;Keys and mouse</source>
        <translation>키와 마우스(&amp;K)</translation>
    </message>
    <message>
        <source>What every key does</source>
        <translation>모든 키의 기능</translation>
    </message>
    <message>
        <source>&amp;About Stagelens</source>
        <translation>Stagelens 정보(&amp;A)</translation>
    </message>
    <message>
        <source>Like the desktop</source>
        <translation>데스크톱 설정</translation>
    </message>
    <message>
        <source>&amp;Edit schedule as text…</source>
        <translation>스케줄을 텍스트로 편집(&amp;E)…</translation>
    </message>
    <message>
        <source>The order of passes beside the picture; passes can then be dragged</source>
        <translation>그림 옆의 패스 순서. 패스를 끌 수 있게 됩니다</translation>
    </message>
    <message>
        <source>&amp;Costs from the run that is shown</source>
        <translation>표시된 실행의 비용 사용(&amp;C)</translation>
    </message>
    <message>
        <source>Predicts with the measured duration of each pass; messages are free then</source>
        <translation>패스마다 측정한 소요 시간으로 예측합니다. 메시지 시간은 0입니다</translation>
    </message>
    <message>
        <source>Import s&amp;chedule…</source>
        <translation>스케줄 가져오기(&amp;C)…</translation>
    </message>
    <message>
        <source>PyTorch&apos;s CSV, or Stagelens&apos; text form</source>
        <translation>PyTorch CSV 또는 Stagelens 텍스트 형식</translation>
    </message>
    <message>
        <source>E&amp;xport schedule…</source>
        <translation>스케줄 내보내기(&amp;W)…</translation>
    </message>
    <message>
        <source>As PyTorch&apos;s CSV or as text: stagelens-cli export --format torch-csv</source>
        <translation>PyTorch CSV 또는 텍스트: stagelens-cli export --format torch-csv</translation>
    </message>
    <message>
        <source>&amp;Find in the picture…</source>
        <translation>그림에서 찾기(&amp;F)…</translation>
    </message>
    <message>
        <source>Search passes: B 17, stage 3, device 2 (/ over the picture)</source>
        <translation>패스 검색: B 17, stage 3, device 2 (그림 위에서 /)</translation>
    </message>
    <message>
        <source>&amp;Critical path	C</source>
        <translation>임계 경로(&amp;C)	C</translation>
    </message>
    <message>
        <source>What makes the iteration as long as it is</source>
        <translation>반복의 길이를 정하는 것</translation>
    </message>
    <message>
        <source>&amp;Play	Space</source>
        <translation>재생(&amp;P)	Space</translation>
    </message>
    <message>
        <source>Moves through the iteration, with a caption</source>
        <translation>설명과 함께 반복을 따라갑니다</translation>
    </message>
    <message>
        <source>P&amp;resentation</source>
        <translation>발표 모드(&amp;R)</translation>
    </message>
    <message>
        <source>The page in front alone, in larger type</source>
        <translation>앞에 있는 페이지만 큰 글자로</translation>
    </message>
    <message>
        <source>As &amp;table</source>
        <translation>표로 보기(&amp;T)</translation>
    </message>
    <message>
        <source>The same passes as rows</source>
        <translation>같은 패스를 행으로</translation>
    </message>
    <message>
        <source>&amp;Morph from the baseline</source>
        <translation>기준에서 변형(&amp;M)</translation>
    </message>
    <message>
        <source>The passes of the baseline fly to their places in this plan</source>
        <translation>기준의 패스가 이 계획의 자리로 날아갑니다</translation>
    </message>
    <message>
        <source>&amp;Pass kind</source>
        <translation>패스 종류(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Microbatch</source>
        <translation>마이크로배치(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Chunk</source>
        <translation>청크(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Slack</source>
        <translation>여유(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>파일(&amp;F)</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>최근 파일 열기(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Examples</source>
        <translation>예제(&amp;E)</translation>
    </message>
    <message>
        <source>Export &amp;picture</source>
        <translation>그림 내보내기(&amp;P)</translation>
    </message>
    <message>
        <source>Export &amp;data</source>
        <translation>데이터 내보내기(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>편집(&amp;E)</translation>
    </message>
    <message>
        <source>E&amp;xperiment</source>
        <translation>실험(&amp;X)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>실행(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>보기(&amp;V)</translation>
    </message>
    <message>
        <source>Colour &amp;by</source>
        <translation>색 구분(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Appearance</source>
        <translation>모양(&amp;A)</translation>
    </message>
    <message>
        <source>Lan&amp;guage</source>
        <translation>언어(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>도움말(&amp;H)</translation>
    </message>
    <message>
        <source>zoom time at the cursor</source>
        <translation>커서 위치에서 시간 확대</translation>
    </message>
    <message>
        <source>Shift+wheel, sideways wheel; A D; drag</source>
        <translation>Shift+휠, 가로 휠; A D; 끌기</translation>
    </message>
    <message>
        <source>pan time</source>
        <translation>시간 이동</translation>
    </message>
    <message>
        <source>Shift+drag, drag on the ruler</source>
        <translation>Shift+끌기, 눈금자에서 끌기</translation>
    </message>
    <message>
        <source>select a range, with statistics</source>
        <translation>범위 선택, 통계 표시</translation>
    </message>
    <message>
        <source>Wheel over the lane names; PgUp PgDn</source>
        <translation>장치 이름 위에서 휠; PgUp PgDn</translation>
    </message>
    <message>
        <source>scroll the lanes</source>
        <translation>레인 스크롤</translation>
    </message>
    <message>
        <source>height of the lanes</source>
        <translation>레인 높이</translation>
    </message>
    <message>
        <source>Click; ← → ↑ ↓</source>
        <translation>클릭; ← → ↑ ↓</translation>
    </message>
    <message>
        <source>select a pass; previous, next pass, lane. A click on a gap explains it</source>
        <translation>패스 선택; 이전, 다음, 레인. 빈틈을 누르면 설명</translation>
    </message>
    <message>
        <source>what the selected pass waited for; what waits for it</source>
        <translation>선택한 패스가 기다린 것; 그것을 기다리는 것</translation>
    </message>
    <message>
        <source>fit the selection; fit all; view history</source>
        <translation>선택에 맞추기; 전체에 맞추기; 보기 기록</translation>
    </message>
    <message>
        <source>critical path</source>
        <translation>임계 경로</translation>
    </message>
    <message>
        <source>play and pause</source>
        <translation>재생과 일시 정지</translation>
    </message>
    <message>
        <source>the picture as a table</source>
        <translation>그림을 표로</translation>
    </message>
    <message>
        <source>morph: the baseline&apos;s passes fly to their places in this plan</source>
        <translation>변형: 기준의 패스가 이 계획의 자리로 날아감</translation>
    </message>
    <message>
        <source>use this plan as baseline; 1F1B again</source>
        <translation>이 계획을 기준으로; 다시 1F1B</translation>
    </message>
    <message>
        <source>do what the headline proposes</source>
        <translation>제안대로 하기</translation>
    </message>
    <message>
        <source>train; stop</source>
        <translation>학습; 중지</translation>
    </message>
    <message>
        <source>undo; redo</source>
        <translation>실행 취소; 다시 실행</translation>
    </message>
    <message>
        <source>Explore, Compare, Sweep, Learn</source>
        <translation>탐색, 비교, 스윕, 배우기</translation>
    </message>
    <message>
        <source>all settings</source>
        <translation>모든 설정</translation>
    </message>
    <message>
        <source>while it is edited: move the selected pass earlier, later</source>
        <translation>편집 중: 선택한 패스를 앞으로, 뒤로</translation>
    </message>
    <message>
        <source>next pane; presentation</source>
        <translation>다음 영역; 발표 모드</translation>
    </message>
    <message>
        <source>Return; Space; F2; T; N; C; Delete</source>
        <translation>Return; Space; F2; T; N; C; Delete</translation>
    </message>
    <message>
        <source>in the table of runs: show, tick, rename, tags, note, compare, delete; Shift and Ctrl select several</source>
        <translation>실행 표에서: 보기, 선택, 이름 바꾸기, 태그, 메모, 비교, 삭제. Shift와 Ctrl로 여러 개 선택</translation>
    </message>
    <message>
        <source>copy the picture</source>
        <translation>그림 복사</translation>
    </message>
    <message>
        <source>clears the selection, leaves a mode or reverts a field; it never stops a run</source>
        <translation>선택을 지우거나 모드를 벗어나거나 항목을 되돌립니다. 실행은 멈추지 않습니다</translation>
    </message>
    <message>
        <source>this table</source>
        <translation>이 표</translation>
    </message>
    <message>
        <source>computing…</source>
        <translation>계산 중…</translation>
    </message>
    <message>
        <source>Prediction under way</source>
        <translation>예측 진행 중</translation>
    </message>
    <message>
        <source>Keep the last plan in the picture; undo takes the edit back</source>
        <translation>그림에 지난 계획을 유지합니다. 실행 취소로 편집을 되돌립니다</translation>
    </message>
    <message>
        <source>Scene</source>
        <translation>장면</translation>
    </message>
    <message>
        <source>Tour</source>
        <translation>둘러보기</translation>
    </message>
    <message>
        <source>Example</source>
        <translation>예제</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>페이지</translation>
    </message>
    <message>
        <source>Search in Learn</source>
        <translation>배우기에서 검색</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>목차</translation>
    </message>
    <message>
        <source>Start here</source>
        <translation>여기서 시작</translation>
    </message>
    <message>
        <source>Scenes</source>
        <translation>장면</translation>
    </message>
    <message>
        <source>Tours</source>
        <translation>둘러보기</translation>
    </message>
    <message>
        <source>Schedules</source>
        <translation>스케줄</translation>
    </message>
    <message>
        <source>Training for real</source>
        <translation>실제 학습</translation>
    </message>
    <message>
        <source>How Stagelens works</source>
        <translation>Stagelens의 동작 원리</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>예제</translation>
    </message>
    <message>
        <source> unit</source>
        <translation> 단위</translation>
    </message>
    <message>
        <source> units</source>
        <translation> 단위</translation>
    </message>
    <message>
        <source>Re&amp;set</source>
        <translation>초기화(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Open in Explore</source>
        <translation>탐색에서 열기(&amp;O)</translation>
    </message>
    <message>
        <source>The animation is in %1.</source>
        <translation>애니메이션을 %1에 저장했습니다.</translation>
    </message>
    <message>
        <source>The plan as the text describes it</source>
        <translation>글에서 설명한 계획</translation>
    </message>
    <message>
        <source>Makes this plan the experiment; Undo brings yours back</source>
        <translation>이 계획을 실험으로 삼습니다. 실행 취소로 되돌립니다</translation>
    </message>
    <message>
        <source>Moves through the iteration and says what happens (Space over the picture)</source>
        <translation>반복을 따라가며 무슨 일이 일어나는지 설명합니다(그림 위에서 Space)</translation>
    </message>
    <message>
        <source>Shows how the passes of the plan below fly to their places in the plan above</source>
        <translation>아래 계획의 패스가 위 계획의 자리로 어떻게 날아가는지 보여 줍니다</translation>
    </message>
    <message>
        <source>, peak memory </source>
        <translation>, 최대 메모리 </translation>
    </message>
    <message>
        <source> The picture shows the plan before.</source>
        <translation> 그림은 이전 계획을 보여 줍니다.</translation>
    </message>
    <message>
        <source>The page cannot be read. %1: %2</source>
        <translation>페이지를 읽을 수 없습니다. %1: %2</translation>
    </message>
    <message>
        <source>baseline %1</source>
        <translation>기준 %1</translation>
    </message>
    <message>
        <source> (predicted)</source>
        <translation> (예측)</translation>
    </message>
    <message>
        <source> of other work</source>
        <translation> (다른 작업)</translation>
    </message>
    <message>
        <source>, now %1, %2</source>
        <translation>, 지금 %1, %2</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>손실</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>타임라인</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>메모리</translation>
    </message>
    <message>
        <source>Live bytes of each device over time</source>
        <translation>시간에 따른 장치별 사용 바이트</translation>
    </message>
    <message>
        <source>The baseline has other units than this plan. Pin another baseline with Ctrl+B.</source>
        <translation>기준의 단위가 이 계획과 다릅니다. Ctrl+B로 다른 기준을 고정하십시오.</translation>
    </message>
    <message>
        <source>This plan is its own baseline. Change its schedule or vocabulary method, and its passes fly from the baseline to their new places.</source>
        <translation>이 계획이 바로 기준입니다. 스케줄이나 어휘 방법을 바꾸면 패스가 기준에서 새 자리로 날아갑니다.</translation>
    </message>
    <message>
        <source>computed, run %1</source>
        <translation>계산값, 실행 %1</translation>
    </message>
    <message>
        <source>run %1</source>
        <translation>실행 %1</translation>
    </message>
    <message>
        <source>%1, vocabulary %2</source>
        <translation>%1, 어휘 %2</translation>
    </message>
    <message>
        <source>No model, only an order</source>
        <translation>모델 없이 순서만</translation>
    </message>
    <message>
        <source>%1: %2. Costs: %3.</source>
        <translation>%1: %2. 비용: %3.</translation>
    </message>
    <message>
        <source>To the page before (Alt+Left)</source>
        <translation>앞서 본 페이지로(Alt+Left)</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>개요</translation>
    </message>
    <message>
        <source>All scenes, tours and examples as cards</source>
        <translation>모든 장면, 둘러보기, 예제를 카드로</translation>
    </message>
    <message>
        <source># This tour cannot be shown

%1</source>
        <translation># 이 둘러보기를 표시할 수 없습니다

%1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>Step %1 of %2</source>
        <translation>%2단계 중 %1</translation>
    </message>
    <message>
        <source>With your change this is no longer so: %1.</source>
        <translation>바꾼 뒤에는 더 이상 그렇지 않습니다: %1.</translation>
    </message>
    <message>
        <source># %1

%2

Change it here, or open it in Explore. There it replaces your plan; Undo restores yours.</source>
        <translation># %1

%2

여기서 바꾸거나 탐색에서 여십시오. 탐색에서는 지금 계획을 대신하며, 실행 취소로 되돌릴 수 있습니다.</translation>
    </message>
    <message>
        <source>Sets it in your plan; Undo restores the former one</source>
        <translation>계획에 적용합니다. 실행 취소로 이전 것을 되돌립니다</translation>
    </message>
    <message>
        <source>Try %1 on my plan</source>
        <translation>내 계획에 %1 적용</translation>
    </message>
    <message>
        <source>&amp;Export picture…</source>
        <translation>그림 내보내기(&amp;E)…</translation>
    </message>
    <message>
        <source>Hide the run</source>
        <translation>실행 숨기기</translation>
    </message>
    <message>
        <source>Nothing was measured yet: this is the prediction.</source>
        <translation>아직 측정한 것이 없습니다. 이것은 예측입니다.</translation>
    </message>
    <message>
        <source>Train this plan</source>
        <translation>이 계획 학습</translation>
    </message>
    <message>
        <source>From run %1</source>
        <translation>실행 %1에서</translation>
    </message>
    <message>
        <source>, measured on this computer; the prediction is for %1, so no error is shown.</source>
        <translation>, 이 컴퓨터에서 측정했습니다. 예측은 %1용이므로 오차를 표시하지 않습니다.</translation>
    </message>
    <message>
        <source>, which differs: </source>
        <translation>, 다른 점: </translation>
    </message>
    <message>
        <source>Show its plan</source>
        <translation>그 계획 보기</translation>
    </message>
    <message>
        <source> It differs from this plan: %1.</source>
        <translation> 이 계획과 다른 점: %1.</translation>
    </message>
    <message>
        <source>Go to %1</source>
        <translation>%1(으)로 이동</translation>
    </message>
    <message>
        <source>Nothing was swept yet. Start goes through the plans that stand above.</source>
        <translation>아직 스윕하지 않았습니다. 시작을 누르면 위의 계획을 차례로 처리합니다.</translation>
    </message>
    <message>
        <source>%1 over %2</source>
        <translation>%2에 따른 %1</translation>
    </message>
    <message>
        <source>%1 (%2 is better%3)</source>
        <translation>%1 (%2수록 좋음%3)</translation>
    </message>
    <message>
        <source>more</source>
        <translation>많을</translation>
    </message>
    <message>
        <source>less</source>
        <translation>적을</translation>
    </message>
    <message>
        <source> at equal work only</source>
        <translation>, 같은 작업량에서만</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>최대 메모리</translation>
    </message>
    <message>
        <source>Iteration against peak memory will stand here.</source>
        <translation>반복과 최대 메모리가 여기에 표시됩니다.</translation>
    </message>
    <message>
        <source>Iteration against peak memory</source>
        <translation>반복과 최대 메모리</translation>
    </message>
    <message>
        <source>Peak memory of a device</source>
        <translation>장치의 최대 메모리</translation>
    </message>
    <message>
        <source>Iteration (less is better) · dotted: Pareto front</source>
        <translation>반복(적을수록 좋음) · 점선: 파레토 프런트</translation>
    </message>
    <message>
        <source>Iteration · dotted: Pareto front of equal work</source>
        <translation>반복 · 점선: 같은 작업의 파레토 프런트</translation>
    </message>
    <message>
        <source>, bubble </source>
        <translation>, 버블 </translation>
    </message>
    <message>
        <source>, %1 tokens/s</source>
        <translation>, %1 토큰/초</translation>
    </message>
    <message>
        <source>, run %1</source>
        <translation>, 실행 %1</translation>
    </message>
    <message>
        <source>Open in Explore</source>
        <translation>탐색에서 열기</translation>
    </message>
    <message>
        <source>Makes the chosen point&apos;s plan the experiment (double-click or Return on the point)</source>
        <translation>고른 점의 계획을 실험으로 삼습니다(두 번 누르거나 Return)</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>내보내기…</translation>
    </message>
    <message>
        <source>The figures as CSV or JSON, or the picture as PNG, SVG or PDF</source>
        <translation>수치는 CSV나 JSON으로, 그림은 PNG, SVG, PDF로</translation>
    </message>
    <message>
        <source>Whole numbers, separated by spaces; 32k is 32,000 and 32Ki is 32,768</source>
        <translation>공백으로 나눈 정수. 32k는 32,000, 32Ki는 32,768</translation>
    </message>
    <message>
        <source>nothing else</source>
        <translation>그 밖에 없음</translation>
    </message>
    <message>
        <source>Values of the first parameter</source>
        <translation>첫째 변수의 값</translation>
    </message>
    <message>
        <source>Values of the second parameter</source>
        <translation>둘째 변수의 값</translation>
    </message>
    <message>
        <source>predict</source>
        <translation>예측</translation>
    </message>
    <message>
        <source>train on this computer</source>
        <translation>이 컴퓨터에서 학습</translation>
    </message>
    <message>
        <source>&amp;Vary</source>
        <translation>변화(&amp;V)</translation>
    </message>
    <message>
        <source>a&amp;nd</source>
        <translation>및(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Show</source>
        <translation>표시(&amp;S)</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>시작</translation>
    </message>
    <message>
        <source>Keeps what is done</source>
        <translation>마친 것은 보존합니다</translation>
    </message>
    <message>
        <source>&amp;How</source>
        <translation>방법(&amp;H)</translation>
    </message>
    <message>
        <source>A training run is going on; this can start when it has ended.</source>
        <translation>학습이 진행 중입니다. 끝나면 시작할 수 있습니다.</translation>
    </message>
    <message>
        <source>, estimating…</source>
        <translation>, 추정 중…</translation>
    </message>
    <message>
        <source>, %1 steps each</source>
        <translation>, 각 %1스텝</translation>
    </message>
    <message>
        <source>stopping</source>
        <translation>중지 중</translation>
    </message>
    <message>
        <source>Cancelled: %1 of %2 are done and stay.</source>
        <translation>취소됨: %2개 중 %1개를 마쳤고 보존합니다.</translation>
    </message>
    <message>
        <source>%1 of %2 are impossible here, marked ×: point at one for the reason.</source>
        <translation>%2개 중 %1개는 여기서 불가능합니다(× 표시). 가리키면 이유가 나옵니다.</translation>
    </message>
    <message>
        <source>Export the sweep</source>
        <translation>스윕 내보내기</translation>
    </message>
    <message>
        <source>Point at a result to see its figures in both plots; click to pin it.</source>
        <translation>결과를 가리키면 두 그래프에 수치가 나옵니다. 누르면 고정됩니다.</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>추가</translation>
    </message>
    <message>
        <source>Adds the current prediction, an experiment or a stored run</source>
        <translation>현재 예측, 실험 또는 저장된 실행을 추가합니다</translation>
    </message>
    <message>
        <source>The current prediction</source>
        <translation>현재 예측</translation>
    </message>
    <message>
        <source>Experiments from files…</source>
        <translation>파일의 실험…</translation>
    </message>
    <message>
        <source>Alignment of the timelines</source>
        <translation>타임라인 정렬</translation>
    </message>
    <message>
        <source>Scaled to the length of A</source>
        <translation>A의 길이에 맞춤</translation>
    </message>
    <message>
        <source>Microbatch</source>
        <translation>마이크로배치</translation>
    </message>
    <message>
        <source>microbatch </source>
        <translation>마이크로배치 </translation>
    </message>
    <message>
        <source>Hides what needs more memory on a device than A</source>
        <translation>A보다 메모리가 더 필요한 것을 숨깁니다</translation>
    </message>
    <message>
        <source>A&amp;ligned by</source>
        <translation>정렬(&amp;L)</translation>
    </message>
    <message>
        <source>What differs</source>
        <translation>다른 점</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>복사</translation>
    </message>
    <message>
        <source>A (baseline)  </source>
        <translation>A(기준) </translation>
    </message>
    <message>
        <source>  hidden: needs %1, A %2</source>
        <translation>  숨김: %1 필요, A는 %2</translation>
    </message>
    <message>
        <source>Make it A, the baseline</source>
        <translation>기준 A로 지정</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>제거</translation>
    </message>
    <message>
        <source>A, the baseline</source>
        <translation>A, 기준</translation>
    </message>
    <message>
        <source> against A</source>
        <translation> A 대비</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>실험</translation>
    </message>
    <message>
        <source>Fold or unfold: </source>
        <translation>접기 또는 펼치기: </translation>
    </message>
    <message>
        <source>Choose the file for: </source>
        <translation>파일 선택: </translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>파일 선택</translation>
    </message>
    <message>
        <source>
Command line: </source>
        <translation>
명령줄: </translation>
    </message>
    <message>
        <source>Device %1</source>
        <translation>장치 %1</translation>
    </message>
    <message>
        <source>Changes this plan so that it fits. Undo takes it back.</source>
        <translation>들어가도록 이 계획을 바꿉니다. 실행 취소로 되돌립니다.</translation>
    </message>
    <message>
        <source>Sets the vocabulary layers of this plan. Undo takes it back.</source>
        <translation>이 계획의 어휘 레이어를 정합니다. 실행 취소로 되돌립니다.</translation>
    </message>
    <message>
        <source>Sets the schedule of this plan. Undo takes it back.</source>
        <translation>이 계획의 스케줄을 정합니다. 실행 취소로 되돌립니다.</translation>
    </message>
    <message>
        <source>Selection</source>
        <translation>선택</translation>
    </message>
    <message>
        <source>Click a pass to see what it waited for, or a gap to see why it is there.</source>
        <translation>패스를 누르면 무엇을 기다렸는지, 빈틈을 누르면 그 이유를 보여 줍니다.</translation>
    </message>
    <message>
        <source>Why: </source>
        <translation>이유: </translation>
    </message>
    <message>
        <source>Iteration</source>
        <translation>반복</translation>
    </message>
    <message>
        <source>Time of one training step: all passes and the optimizer.</source>
        <translation>학습 스텝 하나의 시간: 모든 패스와 옵티마이저.</translation>
    </message>
    <message>
        <source>Bubble</source>
        <translation>버블</translation>
    </message>
    <message>
        <source>Share of the devices&apos; time in which they wait: 1 − busy / (devices × makespan).</source>
        <translation>장치가 기다리는 시간의 비율: 1 − 작업 / (장치 수 × 전체 시간).</translation>
    </message>
    <message>
        <source>Most bytes that the tensors of one device hold.</source>
        <translation>한 장치의 텐서가 차지하는 최대 바이트.</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>토큰/초</translation>
    </message>
    <message>
        <source>Tokens trained in a second, all ranks together.</source>
        <translation>모든 랭크가 1초에 학습하는 토큰 수.</translation>
    </message>
    <message>
        <source>Model FLOP/s over the devices&apos; peak.</source>
        <translation>장치 최대치 대비 모델 FLOP/s.</translation>
    </message>
    <message>
        <source>Lower bound</source>
        <translation>하한</translation>
    </message>
    <message>
        <source>Predicted, of the last valid plan</source>
        <translation>예측, 마지막 올바른 계획</translation>
    </message>
    <message>
        <source>Predicted for %1</source>
        <translation>%1 예측</translation>
    </message>
    <message>
        <source>Predicted for %1, beyond measured runs</source>
        <translation>%1 예측, 측정한 실행의 범위 밖</translation>
    </message>
    <message>
        <source>Differences are against the baseline, %1: %2.</source>
        <translation>차이는 기준 %1 대비: %2.</translation>
    </message>
    <message>
        <source>The baseline, %1: %2, is other work, so nothing is compared: %3.</source>
        <translation>기준 %1: %2은(는) 다른 작업이므로 비교하지 않습니다: %3.</translation>
    </message>
    <message>
        <source>This plan is the baseline.</source>
        <translation>이 계획이 기준입니다.</translation>
    </message>
    <message>
        <source>Ctrl+B makes the plan of the moment the baseline.</source>
        <translation>Ctrl+B로 현재 계획을 기준으로 삼습니다.</translation>
    </message>
    <message>
        <source>
The exchange of the replicas takes %1 of the iteration; the rest of it is hidden.</source>
        <translation>
복제본의 교환이 반복의 %1을(를) 차지합니다. 나머지는 숨겨집니다.</translation>
    </message>
    <message>
        <source>%1: %2 (predicted %3)</source>
        <translation>%1: %2(예측 %3)</translation>
    </message>
    <message>
        <source>Measured by others: %1. In brackets: predicted against published.</source>
        <translation>다른 곳의 측정: %1. 괄호 안: 발표값 대비 예측.</translation>
    </message>
    <message>
        <source>The run differs from this plan, so no error is shown.</source>
        <translation>실행이 이 계획과 달라 오차를 표시하지 않습니다.</translation>
    </message>
    <message>
        <source>In brackets: measured against predicted.</source>
        <translation>괄호 안: 예측 대비 측정.</translation>
    </message>
    <message>
        <source>Morph between two plans</source>
        <translation>두 계획 사이의 변형</translation>
    </message>
    <message>
        <source>%1 of the way from %2 to %3</source>
        <translation>%2에서 %3까지 %1</translation>
    </message>
    <message>
        <source>Export animation…</source>
        <translation>애니메이션 내보내기…</translation>
    </message>
    <message>
        <source>Moves the passes of the first plan to their places in the second (Space)</source>
        <translation>첫 계획의 패스를 둘째 계획의 자리로 옮깁니다(Space)</translation>
    </message>
    <message>
        <source>Place between the two plans</source>
        <translation>두 계획 사이의 위치</translation>
    </message>
    <message>
        <source>Drag it to move between the two plans by hand</source>
        <translation>끌면 두 계획 사이를 직접 오갑니다</translation>
    </message>
    <message>
        <source>There is no second plan to morph from.</source>
        <translation>변형할 둘째 계획이 없습니다.</translation>
    </message>
    <message>
        <source>The two plans have %L1 passes; up to %L2 can be animated. Use fewer microbatches or devices.</source>
        <translation>두 계획의 패스가 %L1개입니다. 최대 %L2개까지 움직일 수 있습니다. 마이크로배치나 장치를 줄이십시오.</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>일시 정지</translation>
    </message>
    <message>
        <source>SVG animation (*.svg)</source>
        <translation>SVG 애니메이션 (*.svg)</translation>
    </message>
    <message>
        <source>Export the animation</source>
        <translation>애니메이션 내보내기</translation>
    </message>
    <message>
        <source>Writing…</source>
        <translation>쓰는 중…</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>패스</translation>
    </message>
    <message>
        <source>device %1: %2</source>
        <translation>장치 %1: %2</translation>
    </message>
    <message>
        <source>device %1 is done</source>
        <translation>장치 %1 완료</translation>
    </message>
    <message>
        <source>device %1 %2</source>
        <translation>장치 %1 %2</translation>
    </message>
    <message>
        <source>%1 on device %2</source>
        <translation>장치 %2의 %1</translation>
    </message>
    <message>
        <source>Microbatch %1</source>
        <translation>마이크로배치 %1</translation>
    </message>
    <message>
        <source> is done</source>
        <translation> 완료</translation>
    </message>
    <message>
        <source> is not in this picture</source>
        <translation> : 이 그림에 없음</translation>
    </message>
    <message>
        <source>%1 waits; %2 begins in %3</source>
        <translation>%1 대기; %2은(는) %3 뒤에 시작</translation>
    </message>
    <message>
        <source>At %1 · </source>
        <translation>%1 · </translation>
    </message>
    <message>
        <source>%1 of %2 devices work · </source>
        <translation>장치 %2개 중 %1개 작업 중 · </translation>
    </message>
    <message>
        <source>To the moment before at which a pass begins or ends</source>
        <translation>패스가 시작하거나 끝나는 이전 시점으로</translation>
    </message>
    <message>
        <source>Space over the picture</source>
        <translation>그림 위에서 Space</translation>
    </message>
    <message>
        <source>To the next moment at which a pass begins or ends</source>
        <translation>패스가 시작하거나 끝나는 다음 시점으로</translation>
    </message>
    <message>
        <source>%1 s an iteration</source>
        <translation>반복당 %1초</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>속도</translation>
    </message>
    <message>
        <source>Follow microbatch</source>
        <translation>마이크로배치 따라가기</translation>
    </message>
    <message>
        <source>The microbatch that is followed: its passes stand out, the caption says where it is</source>
        <translation>따라가는 마이크로배치. 그 패스가 강조되고 설명이 위치를 알려 줍니다</translation>
    </message>
    <message>
        <source>all</source>
        <translation>모두</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>재생</translation>
    </message>
    <message>
        <source>Space plays the iteration and says what each device does.</source>
        <translation>Space로 반복을 재생하고 각 장치가 하는 일을 설명합니다.</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>가져오기…</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>비교</translation>
    </message>
    <message>
        <source>Fold or unfold the runs</source>
        <translation>실행 접기 또는 펼치기</translation>
    </message>
    <message>
        <source>Filter of the runs</source>
        <translation>실행 필터</translation>
    </message>
    <message>
        <source>Filter: vocab-2, 4x16, 8192, a tag…</source>
        <translation>필터: vocab-2, 4x16, 8192, 태그…</translation>
    </message>
    <message>
        <source>Shows the runs in whose name, schedule, method, kind, tags or note every word is found</source>
        <translation>이름, 스케줄, 방법, 종류, 태그, 메모에 모든 단어가 있는 실행을 보여 줍니다</translation>
    </message>
    <message>
        <source>Reads a measured timeline: Chrome or Kineto traces with events named PP:0F0</source>
        <translation>측정 타임라인을 읽습니다: 이벤트 이름이 PP:0F0인 Chrome 또는 Kineto 트레이스</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>실행</translation>
    </message>
    <message>
        <source>Measured live</source>
        <translation>실시간 측정</translation>
    </message>
    <message>
        <source>Bubble ^</source>
        <translation>버블 ^</translation>
    </message>
    <message>
        <source>Peak memory ^</source>
        <translation>최대 메모리 ^</translation>
    </message>
    <message>
        <source>Show with its plan</source>
        <translation>계획과 함께 보기</translation>
    </message>
    <message>
        <source>Tick for comparing</source>
        <translation>비교하려면 선택</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>이름 바꾸기…</translation>
    </message>
    <message>
        <source>Tags…</source>
        <translation>태그…</translation>
    </message>
    <message>
        <source>Note…</source>
        <translation>메모…</translation>
    </message>
    <message>
        <source>Export as Chrome trace…</source>
        <translation>Chrome 트레이스로 내보내기…</translation>
    </message>
    <message>
        <source>Export as CSV…</source>
        <translation>CSV로 내보내기…</translation>
    </message>
    <message>
        <source>Export as JSON…</source>
        <translation>JSON으로 내보내기…</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>삭제</translation>
    </message>
    <message>
        <source>Runs (%1)</source>
        <translation>실행(%1)</translation>
    </message>
    <message>
        <source>Runs (%1 of %2)</source>
        <translation>실행(%1/%2)</translation>
    </message>
    <message>
        <source>No run has all these words. Clear the filter to see all %1.</source>
        <translation>이 단어가 모두 든 실행이 없습니다. 필터를 지우면 %1개가 모두 보입니다.</translation>
    </message>
    <message>
        <source>The stored runs are not read yet.</source>
        <translation>저장된 실행을 아직 읽지 않았습니다.</translation>
    </message>
    <message>
        <source>No runs yet. Train (F5) trains the plan that you see and keeps the result here.</source>
        <translation>아직 실행이 없습니다. 학습(F5)하면 보이는 계획을 학습하고 결과를 여기에 둡니다.</translation>
    </message>
    <message>
        <source>Compare the %1 ticked runs</source>
        <translation>표시한 실행 %1개 비교</translation>
    </message>
    <message>
        <source>Compare the %1 selected runs</source>
        <translation>선택한 실행 %1개 비교</translation>
    </message>
    <message>
        <source>Their timelines on one axis, and what differs</source>
        <translation>한 축 위의 타임라인과 차이</translation>
    </message>
    <message>
        <source>Train a scaled copy here</source>
        <translation>여기서 축소 사본 학습</translation>
    </message>
    <message>
        <source>A copy small enough for this computer. In both, the output layer costs %1 times as much as the layers of one device, so the bubble has the same cause; devices, microbatches and schedule stay.</source>
        <translation>이 컴퓨터에 맞을 만큼 작은 사본입니다. 둘 다 출력 레이어의 비용이 한 장치 레이어들의 %1배이므로 버블의 원인이 같습니다. 장치, 마이크로배치, 스케줄은 그대로입니다.</translation>
    </message>
    <message>
        <source>What the copy changes</source>
        <translation>사본에서 바뀌는 것</translation>
    </message>
    <message>
        <source>Field</source>
        <translation>항목</translation>
    </message>
    <message>
        <source>This plan</source>
        <translation>이 계획</translation>
    </message>
    <message>
        <source>Scaled copy</source>
        <translation>축소 사본</translation>
    </message>
    <message>
        <source>Open the copy</source>
        <translation>사본 열기</translation>
    </message>
    <message>
        <source>Makes it the current experiment; F5 trains it, undo brings this plan back.</source>
        <translation>현재 실험으로 삼습니다. F5로 학습하고, 실행 취소로 이 계획을 되돌립니다.</translation>
    </message>
    <message>
        <source>&lt;b&gt;Schedule as text&lt;/b&gt;</source>
        <translation>&lt;b&gt;텍스트로 된 스케줄&lt;/b&gt;</translation>
    </message>
    <message>
        <source>Close the schedule&apos;s text</source>
        <translation>스케줄 텍스트 닫기</translation>
    </message>
    <message>
        <source>Close (Ctrl+Shift+E). What was changed stays</source>
        <translation>닫기(Ctrl+Shift+E). 바꾼 것은 남습니다</translation>
    </message>
    <message>
        <source>What is wrong in the schedule</source>
        <translation>스케줄의 오류</translation>
    </message>
    <message>
        <source>Line %1, word %2: </source>
        <translation>%1행, %2번째 단어: </translation>
    </message>
    <message>
        <source>Line %1: </source>
        <translation>%1행: </translation>
    </message>
    <message>
        <source>Word %1: %2</source>
        <translation>%1번째 단어: %2</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>외 %1개</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>설정 검색</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>예측</translation>
    </message>
    <message>
        <source>Only the prediction</source>
        <translation>예측만</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>측정</translation>
    </message>
    <message>
        <source>Only the run that is shown</source>
        <translation>표시된 실행만</translation>
    </message>
    <message>
        <source>Both</source>
        <translation>둘 다</translation>
    </message>
    <message>
        <source>Prediction above, run below</source>
        <translation>위는 예측, 아래는 실행</translation>
    </message>
    <message>
        <source>Only the run that is shown; the list beside it (Alt+Down) chooses run and step</source>
        <translation>표시된 실행만. 옆의 목록(Alt+Down)에서 실행과 스텝을 고릅니다</translation>
    </message>
    <message>
        <source>Layers of each stage</source>
        <translation>스테이지별 레이어 수</translation>
    </message>
    <message>
        <source>Layers of each stage, as a strip</source>
        <translation>스테이지별 레이어 수 띠</translation>
    </message>
    <message>
        <source>No cut: the experiment is not sound</source>
        <translation>나눌 수 없음: 실험에 오류가 있습니다</translation>
    </message>
    <message>
        <source>Layers: %1. Border behind stage %2</source>
        <translation>레이어: %1. 스테이지 %2 뒤의 경계</translation>
    </message>
    <message>
        <source>Stage %1: %2 %3</source>
        <translation>스테이지 %1: %2 %3</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>레이어</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>레이어</translation>
    </message>
    <message>
        <source>No sound cut to show</source>
        <translation>표시할 올바른 나누기가 없습니다</translation>
    </message>
    <message>
        <source>Drag a border, or choose one with ↑ ↓ and move it with ← →. A double click cuts automatically.</source>
        <translation>경계를 끌거나 ↑ ↓로 고르고 ← →로 옮깁니다. 두 번 누르면 자동으로 나눕니다.</translation>
    </message>
    <message>
        <source>fill and drain</source>
        <translation>채움과 비움</translation>
    </message>
    <message>
        <source>unequal stages</source>
        <translation>고르지 않은 스테이지</translation>
    </message>
    <message>
        <source>vocabulary layers</source>
        <translation>어휘 레이어</translation>
    </message>
    <message>
        <source>barriers and messages</source>
        <translation>배리어와 메시지</translation>
    </message>
    <message>
        <source>device</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>idle of device 0</source>
        <translation>장치 0의 유휴</translation>
    </message>
    <message>
        <source>idle of devices 0 to %1</source>
        <translation>장치 0~%1의 유휴</translation>
    </message>
    <message>
        <source>No bubble to show yet: it appears with the first plan.</source>
        <translation>아직 표시할 버블이 없습니다. 첫 계획과 함께 나타납니다.</translation>
    </message>
    <message>
        <source>Bubble %1</source>
        <translation>버블 %1</translation>
    </message>
    <message>
        <source>of all devices&apos; time · %1</source>
        <translation>모든 장치 시간 중 · %1</translation>
    </message>
    <message>
        <source>%1 of all devices&apos; time</source>
        <translation>모든 장치 시간의 %1</translation>
    </message>
    <message>
        <source>step</source>
        <translation>스텝</translation>
    </message>
    <message>
        <source>ln V = %1: a model that knows nothing</source>
        <translation>ln V = %1: 아무것도 모르는 모델</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>파라미터</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>기울기</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>옵티마이저</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>활성값</translation>
    </message>
    <message>
        <source>vocabulary</source>
        <translation>어휘</translation>
    </message>
    <message>
        <source>communication</source>
        <translation>통신</translation>
    </message>
    <message>
        <source>workspace</source>
        <translation>작업 공간</translation>
    </message>
    <message>
        <source>Device whose memory is shown</source>
        <translation>메모리를 표시할 장치</translation>
    </message>
    <message>
        <source>Device whose memory is shown; it follows the selected pass</source>
        <translation>메모리를 표시할 장치. 선택한 패스를 따릅니다</translation>
    </message>
    <message>
        <source>Fullest</source>
        <translation>가장 많이 참</translation>
    </message>
    <message>
        <source>Device %1: peak %2</source>
        <translation>장치 %1: 최대 %2</translation>
    </message>
    <message>
        <source>, activations of %1 microbatch</source>
        <translation>, 마이크로배치 %1개의 활성값</translation>
    </message>
    <message>
        <source>, activations of %1 microbatches</source>
        <translation>, 마이크로배치 %1개의 활성값</translation>
    </message>
    <message>
        <source>Memory </source>
        <translation>메모리 </translation>
    </message>
    <message>
        <source>%1%2 at %3</source>
        <translation>%1%2, %3에</translation>
    </message>
    <message>
        <source>Peak: </source>
        <translation>최대: </translation>
    </message>
    <message>
        <source>No memory figures</source>
        <translation>메모리 수치 없음</translation>
    </message>
    <message>
        <source>capacity %1 </source>
        <translation>용량 %1 </translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>실행 취소(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>다시 실행(&amp;R)</translation>
    </message>
    <message>
        <source>Keys and mouse</source>
        <translation>키와 마우스</translation>
    </message>
    <message>
        <source>About Stagelens</source>
        <translation>Stagelens 정보</translation>
    </message>
    <message>
        <source>&lt;p&gt;&lt;b&gt;Stagelens %1&lt;/b&gt;&lt;/p&gt;&lt;p&gt;Explorer and trainer of pipeline-parallel schedules with vocabulary parallelism.&lt;/p&gt;&lt;p&gt;GPL-3.0-or-later. Data: %2&lt;/p&gt;</source>
        <translation>&lt;p&gt;&lt;b&gt;Stagelens %1&lt;/b&gt;&lt;/p&gt;&lt;p&gt;어휘 병렬을 갖춘 파이프라인 병렬 스케줄의 탐색 및 학습 도구.&lt;/p&gt;&lt;p&gt;GPL-3.0-or-later. 데이터: %2&lt;/p&gt;</translation>
    </message>
    <message>
        <source>A run is going on. What it has measured so far is kept.</source>
        <translation>실행이 진행 중입니다. 지금까지 측정한 것은 보존됩니다.</translation>
    </message>
    <message>
        <source>Stop and close</source>
        <translation>중지하고 닫기</translation>
    </message>
    <message>
        <source>Keep open</source>
        <translation>열어 두기</translation>
    </message>
    <message>
        <source>From the next start, Stagelens uses the language of the desktop.</source>
        <translation>다음 시작부터 Stagelens가 데스크톱의 언어를 씁니다.</translation>
    </message>
    <message>
        <source>From the next start, Stagelens uses this language: %1.</source>
        <translation>다음 시작부터 Stagelens가 이 언어를 씁니다: %1.</translation>
    </message>
    <message>
        <source>All settings</source>
        <translation>모든 설정</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>수치</translation>
    </message>
    <message>
        <source>Demo: the slow last device</source>
        <translation>데모: 느린 마지막 장치</translation>
    </message>
    <message>
        <source>Textbook 1F1B</source>
        <translation>교과서 1F1B</translation>
    </message>
    <message>
        <source>4B GPT on 8 A100, vocabulary 256k</source>
        <translation>A100 8개의 4B GPT, 어휘 256k</translation>
    </message>
    <message>
        <source>Two schedules at equal memory</source>
        <translation>같은 메모리의 두 스케줄</translation>
    </message>
    <message>
        <source>Custom</source>
        <translation>사용자</translation>
    </message>
    <message>
        <source>A model whose sizes were changed by hand</source>
        <translation>크기를 직접 바꾼 모델</translation>
    </message>
    <message>
        <source>None (teaching units)</source>
        <translation>없음(교육용 단위)</translation>
    </message>
    <message>
        <source>One layer a stage and durations by hand</source>
        <translation>스테이지마다 한 레이어, 소요 시간은 직접 입력</translation>
    </message>
    <message>
        <source>The order of the moment, to be changed by hand; or one from a file (--schedule-file FILE)</source>
        <translation>현재 순서를 직접 바꾸거나, 파일의 순서를 씁니다(--schedule-file FILE)</translation>
    </message>
    <message>
        <source>Teaching units</source>
        <translation>교육용 단위</translation>
    </message>
    <message>
        <source>--uniform F=1,B=2,...: the same on every device</source>
        <translation>--uniform F=1,B=2,...: 모든 장치에서 같음</translation>
    </message>
    <message>
        <source>Durations from a file</source>
        <translation>파일의 소요 시간</translation>
    </message>
    <message>
        <source>--durations FILE: measured elsewhere, or by Experiment &gt; Costs from the run that is shown</source>
        <translation>--durations FILE: 다른 곳에서 측정했거나, 실험 &gt; 표시된 실행의 비용 사용으로 얻은 값</translation>
    </message>
    <message>
        <source>Milliseconds; one millisecond is one unit.</source>
        <translation>밀리초. 1밀리초가 1단위입니다.</translation>
    </message>
    <message>
        <source>Forward F</source>
        <translation>순전파 F</translation>
    </message>
    <message>
        <source>Backward B</source>
        <translation>역전파 B</translation>
    </message>
    <message>
        <source>Vocabulary S</source>
        <translation>어휘 S</translation>
    </message>
    <message>
        <source>Vocabulary T</source>
        <translation>어휘 T</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>메시지</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Costs</source>
        <translation>비용</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>데이터</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>학습</translation>
    </message>
    <message>
        <source> (pinned)</source>
        <translation> (고정됨)</translation>
    </message>
    <message>
        <source>1F1B, vocabulary not split</source>
        <translation>1F1B, 어휘 나누지 않음</translation>
    </message>
    <message>
        <source>, and its result takes %1 to arrive</source>
        <translation>, 결과가 도착하는 데 %1</translation>
    </message>
    <message>
        <source>, and the broadcast of its output takes %1</source>
        <translation>, 출력 브로드캐스트에 %1</translation>
    </message>
    <message>
        <source>, and the barrier of the softmax statistics takes %1</source>
        <translation>, 소프트맥스 통계 배리어에 %1</translation>
    </message>
    <message>
        <source>, and the barrier that sums the gradients takes %1</source>
        <translation>, 기울기 합산 배리어에 %1</translation>
    </message>
    <message>
        <source>, and summing the embeddings takes %1</source>
        <translation>, 임베딩 합산에 %1</translation>
    </message>
    <message>
        <source>, and the broadcast of the embedding&apos;s gradient takes %1</source>
        <translation>, 임베딩 기울기 브로드캐스트에 %1</translation>
    </message>
    <message>
        <source>%1, on device %2</source>
        <translation>%1, 장치 %2</translation>
    </message>
    <message>
        <source> for its first work</source>
        <translation> 첫 작업</translation>
    </message>
    <message>
        <source>, which follows %1</source>
        <translation>, 다음은 %1</translation>
    </message>
    <message>
        <source> for the others to end</source>
        <translation> 다른 장치의 종료</translation>
    </message>
    <message>
        <source> though all that it needs is there</source>
        <translation> (필요한 것은 모두 준비됨)</translation>
    </message>
    <message>
        <source> for the message</source>
        <translation> 메시지</translation>
    </message>
    <message>
        <source> for the collective of all devices</source>
        <translation> 모든 장치의 집합 통신</translation>
    </message>
    <message>
        <source> for %1, which a barrier waits for</source>
        <translation> 배리어가 기다리는 %1</translation>
    </message>
    <message>
        <source> for the activation from %1</source>
        <translation> %1의 활성값</translation>
    </message>
    <message>
        <source> for the gradient from %1</source>
        <translation> %1의 기울기</translation>
    </message>
    <message>
        <source>a forward</source>
        <translation>순전파</translation>
    </message>
    <message>
        <source> for %1, while %2 could run if the device held more activations</source>
        <translation> %1(장치가 활성값을 더 보관하면 %2을(를) 실행할 수 있음)</translation>
    </message>
    <message>
        <source>%1 of microbatch %2, stage %3</source>
        <translation>마이크로배치 %2의 %1, 스테이지 %3</translation>
    </message>
    <message>
        <source>Device %1 has no work left after %2; the last pass of all ends at %3.</source>
        <translation>장치 %1은(는) %2 다음에 남은 작업이 없습니다. 마지막 패스는 %3에 끝납니다.</translation>
    </message>
    <message>
        <source>Device %1 waits %2 (%3 to %4) for its next pass, %5.</source>
        <translation>장치 %1은(는) 다음 패스 %5까지 %2 기다립니다(%3~%4).</translation>
    </message>
    <message>
        <source> It waits </source>
        <translation> 기다리는 이유:</translation>
    </message>
    <message>
        <source>, then </source>
        <translation>, 그다음 </translation>
    </message>
    <message>
        <source>this device</source>
        <translation>이 장치</translation>
    </message>
    <message>
        <source>device %1</source>
        <translation>장치 %1</translation>
    </message>
    <message>
        <source> It needs %1, which ends on %2 at %3</source>
        <translation> 필요한 것은 %1이며, %2에서 %3에 끝납니다</translation>
    </message>
    <message>
        <source>its message</source>
        <translation>메시지</translation>
    </message>
    <message>
        <source>the broadcast of its output</source>
        <translation>출력 브로드캐스트</translation>
    </message>
    <message>
        <source>the softmax statistics&apos; barrier</source>
        <translation>소프트맥스 통계 배리어</translation>
    </message>
    <message>
        <source>the reduction of the gradient</source>
        <translation>기울기 축약</translation>
    </message>
    <message>
        <source>the sum of the embeddings</source>
        <translation>임베딩 합산</translation>
    </message>
    <message>
        <source>the broadcast of its gradient</source>
        <translation>기울기 브로드캐스트</translation>
    </message>
    <message>
        <source>The device then holds %1</source>
        <translation>이때 장치가 보관하는 양은 %1</translation>
    </message>
    <message>
        <source>On the critical path: any delay lengthens the iteration</source>
        <translation>임계 경로 위: 늦어지면 반복이 길어집니다</translation>
    </message>
    <message>
        <source>Slack: %1</source>
        <translation>여유: %1</translation>
    </message>
    <message>
        <source>Began as soon as the device was free, after %1</source>
        <translation>장치가 비자마자 시작, %1 다음</translation>
    </message>
    <message>
        <source>Idle for %1 before</source>
        <translation>앞서 %1 유휴</translation>
    </message>
    <message>
        <source>Waited for nothing</source>
        <translation>기다리지 않음</translation>
    </message>
    <message>
        <source>Waited %1 for %2 on device %3</source>
        <translation>장치 %3의 %2을(를) %1 기다림</translation>
    </message>
    <message>
        <source>: %1 until it ended, %2 for %3</source>
        <translation>: 끝날 때까지 %1, %3에 %2</translation>
    </message>
    <message>
        <source>%1 of device %2</source>
        <translation>장치 %2의 %1</translation>
    </message>
    <message>
        <source>the message of %1 from device %2</source>
        <translation>장치 %2에서 오는 %1의 메시지</translation>
    </message>
    <message>
        <source>%1 after %2</source>
        <translation>%2 다음의 %1</translation>
    </message>
    <message>
        <source>done</source>
        <translation>완료</translation>
    </message>
    <message>
        <source>idle until %1</source>
        <translation>%1까지 유휴</translation>
    </message>
    <message>
        <source>waits for %1</source>
        <translation>%1 대기</translation>
    </message>
    <message>
        <source>Replicas sum their gradients</source>
        <translation>복제본이 기울기를 합산</translation>
    </message>
    <message>
        <source>Replicas gather the updated parameters</source>
        <translation>복제본이 갱신된 파라미터를 모음</translation>
    </message>
    <message>
        <source>%1 of device %2
Begins at %3, takes %4</source>
        <translation>장치 %2: %1
%3에 시작, %4 걸림</translation>
    </message>
    <message>
        <source>
Each rank sends %1</source>
        <translation>
랭크마다 %1 전송</translation>
    </message>
    <message>
        <source>all devices</source>
        <translation>모든 장치</translation>
    </message>
    <message>
        <source>device %1 to device %2</source>
        <translation>장치 %1에서 장치 %2로</translation>
    </message>
    <message>
        <source>%1 of microbatch %2, %3</source>
        <translation>마이크로배치 %2의 %1, %3</translation>
    </message>
    <message>
        <source>
Begins at %1, takes %2</source>
        <translation>
%1에 시작, %2 걸림</translation>
    </message>
    <message>
        <source>Stage %1, microbatch %2</source>
        <translation>스테이지 %1, 마이크로배치 %2</translation>
    </message>
    <message>
        <source>Begins at %1, takes %2</source>
        <translation>%1에 시작, %2 걸림</translation>
    </message>
    <message>
        <source>Vocabulary layers: all of it</source>
        <translation>어휘 레이어: 전부</translation>
    </message>
    <message>
        <source>Vocabulary layers: %1 (%2 %)</source>
        <translation>어휘 레이어: %1 (%2 %)</translation>
    </message>
    <message>
        <source>Vocabulary part: not known</source>
        <translation>어휘 부분: 알 수 없음</translation>
    </message>
    <message>
        <source>Device %1 is idle</source>
        <translation>장치 %1 유휴</translation>
    </message>
    <message>
        <source>From %1: its work is done</source>
        <translation>%1부터: 작업 완료</translation>
    </message>
    <message>
        <source>For %1, before %2</source>
        <translation>%1, %2 전</translation>
    </message>
    <message>
        <source>Lanes</source>
        <translation>레인</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>Pass</source>
        <translation>패스</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>스테이지</translation>
    </message>
    <message>
        <source>Begins</source>
        <translation>시작</translation>
    </message>
    <message>
        <source>Takes</source>
        <translation>걸림</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>어휘</translation>
    </message>
    <message>
        <source>Why then</source>
        <translation>그때인 이유</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>알 수 없음</translation>
    </message>
    <message>
        <source> · run %1</source>
        <translation> · 실행 %1</translation>
    </message>
    <message>
        <source>, step %1 of %2</source>
        <translation>, 스텝 %1/%2</translation>
    </message>
    <message>
        <source>, the median</source>
        <translation>, 중앙값</translation>
    </message>
    <message>
        <source>preparing</source>
        <translation>준비 중</translation>
    </message>
    <message>
        <source>step %1 of %2</source>
        <translation>스텝 %1/%2</translation>
    </message>
    <message>
        <source> · pass %1 of %2</source>
        <translation> · 패스 %1/%2</translation>
    </message>
    <message>
        <source> · loss </source>
        <translation> · 손실 </translation>
    </message>
    <message>
        <source> · %1 left</source>
        <translation> · %1 남음</translation>
    </message>
    <message>
        <source>The stored runs cannot be read now. Stagelens tries again every second. </source>
        <translation>저장된 실행을 지금 읽을 수 없습니다. Stagelens가 매초 다시 시도합니다. </translation>
    </message>
    <message>
        <source>Results of this session are not being stored. </source>
        <translation>이 세션의 결과가 저장되지 않습니다. </translation>
    </message>
    <message>
        <source>Right click chooses columns</source>
        <translation>오른쪽 클릭으로 열 선택</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>상태</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>실행</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>이름</translation>
    </message>
    <message>
        <source>When</source>
        <translation>때</translation>
    </message>
    <message>
        <source>Differs from baseline</source>
        <translation>기준과 다른 점</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>종류</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>스텝</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>태그</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>메모</translation>
    </message>
    <message>
        <source>“%1” is not a number; write whole numbers such as 8 or 32k, separated by spaces.</source>
        <translation>“%1”은(는) 숫자가 아닙니다. 8이나 32k 같은 정수를 공백으로 나누어 쓰십시오.</translation>
    </message>
    <message>
        <source>Write the values to go through, such as 32k, 64k.</source>
        <translation>차례로 쓸 값을 적으십시오(예: 32k, 64k).</translation>
    </message>
    <message>
        <source>Choose at least one method.</source>
        <translation>방법을 하나 이상 고르십시오.</translation>
    </message>
    <message>
        <source>These are %1 plans; at most %2 are swept at once. Use fewer values.</source>
        <translation>계획이 %1개입니다. 한 번에 최대 %2개를 스윕합니다. 값을 줄이십시오.</translation>
    </message>
    <message>
        <source>Choose two different parameters.</source>
        <translation>서로 다른 두 변수를 고르십시오.</translation>
    </message>
    <message>
        <source>This teaching example has no model: sweep devices or microbatches, or choose a model.</source>
        <translation>이 교육용 예제에는 모델이 없습니다. 장치나 마이크로배치를 스윕하거나 모델을 고르십시오.</translation>
    </message>
    <message>
        <source>Does not fit: needs %1 of %2.</source>
        <translation>들어가지 않음: %2 중 %1 필요.</translation>
    </message>
    <message>
        <source>training run</source>
        <translation>회 학습</translation>
    </message>
    <message>
        <source>training runs</source>
        <translation>회 학습</translation>
    </message>
    <message>
        <source>prediction</source>
        <translation>건 예측</translation>
    </message>
    <message>
        <source>predictions</source>
        <translation>건 예측</translation>
    </message>
    <message>
        <source>, about </source>
        <translation>, 약 </translation>
    </message>
    <message>
        <source> s</source>
        <translation>초</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>시간</translation>
    </message>
    <message>
        <source>Against this plan</source>
        <translation>이 계획 대비</translation>
    </message>
    <message>
        <source>Front</source>
        <translation>프런트</translation>
    </message>
    <message>
        <source>A dot: no other choice that fits is both faster and smaller (Pareto front)</source>
        <translation>점: 들어가는 다른 선택 중 더 빠르면서 더 작은 것이 없음(파레토 프런트)</translation>
    </message>
    <message>
        <source>not here</source>
        <translation>여기 불가</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>계획</translation>
    </message>
    <message>
        <source>Hardware</source>
        <translation>하드웨어</translation>
    </message>
    <message>
        <source>Microbatches</source>
        <translation>마이크로배치</translation>
    </message>
    <message>
        <source>Run settings</source>
        <translation>실행 설정</translation>
    </message>
    <message>
        <source>Steps, data, optimizer, and where the run takes place</source>
        <translation>스텝, 데이터, 옵티마이저, 실행 위치</translation>
    </message>
    <message>
        <source>%1 · vocabulary </source>
        <translation>%1 · 어휘 </translation>
    </message>
    <message>
        <source>None</source>
        <translation>없음</translation>
    </message>
    <message numerus="yes">
        <source>All settings (%n)</source>
        <translation>
            <numerusform>모든 설정(%n)</numerusform>
        </translation>
    </message>
    <message>
        <source>Every field of the experiment (Ctrl+E)</source>
        <translation>실험의 모든 항목(Ctrl+E)</translation>
    </message>
    <message>
        <source>Train here</source>
        <translation>여기서 학습</translation>
    </message>
    <message>
        <source>All training settings</source>
        <translation>모든 학습 설정</translation>
    </message>
    <message>
        <source>Whole iteration</source>
        <translation>전체 반복</translation>
    </message>
    <message>
        <source>F forward</source>
        <translation>F 순전파</translation>
    </message>
    <message>
        <source>B backward</source>
        <translation>B 역전파</translation>
    </message>
    <message>
        <source>I input gradient</source>
        <translation>I 입력 기울기</translation>
    </message>
    <message>
        <source>W weight gradient</source>
        <translation>W 가중치 기울기</translation>
    </message>
    <message>
        <source>S output layer, softmax</source>
        <translation>S 출력 레이어, 소프트맥스</translation>
    </message>
    <message>
        <source>U between barriers</source>
        <translation>U 배리어 사이</translation>
    </message>
    <message>
        <source>T output layer, gradients</source>
        <translation>T 출력 레이어, 기울기</translation>
    </message>
    <message>
        <source>Embedding</source>
        <translation>임베딩</translation>
    </message>
    <message>
        <source>O optimizer</source>
        <translation>O 옵티마이저</translation>
    </message>
    <message>
        <source>vocabulary share</source>
        <translation>어휘 몫</translation>
    </message>
    <message>
        <source>a to %1: chunks, each lighter</source>
        <translation>a~%1: 청크, 점점 밝게</translation>
    </message>
    <message>
        <source>and so on, in turn</source>
        <translation>차례로 반복</translation>
    </message>
    <message>
        <source>Chunk</source>
        <translation>청크</translation>
    </message>
    <message>
        <source>one a device</source>
        <translation>장치마다 하나</translation>
    </message>
    <message>
        <source>Slack</source>
        <translation>여유</translation>
    </message>
    <message>
        <source>none</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>to %1 %</source>
        <translation>%1 %까지</translation>
    </message>
    <message>
        <source>of the makespan</source>
        <translation>전체 시간 대비</translation>
    </message>
    <message>
        <source>messages</source>
        <translation>메시지</translation>
    </message>
    <message>
        <source>messages to the device</source>
        <translation>장치로 가는 메시지</translation>
    </message>
    <message>
        <source>replicas</source>
        <translation>복제본</translation>
    </message>
    <message>
        <source>exchange of the replicas</source>
        <translation>복제본의 교환</translation>
    </message>
    <message>
        <source>
Predicted %1, measured %2: %3; begins %4 %5 than predicted</source>
        <translation>
예측 %1, 측정 %2: %3; 예측보다 %4 %5 시작</translation>
    </message>
    <message>
        <source>earlier</source>
        <translation>일찍</translation>
    </message>
    <message>
        <source>later</source>
        <translation>늦게</translation>
    </message>
    <message>
        <source>Nothing is on its way to device %1</source>
        <translation>장치 %1(으)로 가는 것이 없습니다</translation>
    </message>
    <message>
        <source>
%1 passes stand here: zoom in to tell them apart</source>
        <translation>
여기에 패스 %1개가 있습니다. 확대하면 구분됩니다</translation>
    </message>
    <message>
        <source>%1
Drag it to another place of device %2</source>
        <translation>%1
장치 %2의 다른 위치로 끌기</translation>
    </message>
    <message>
        <source>%1
Let go to put it here</source>
        <translation>%1
놓으면 여기에 배치</translation>
    </message>
    <message>
        <source>%1 cannot stand here
%2</source>
        <translation>%1은(는) 여기에 놓을 수 없습니다
%2</translation>
    </message>
    <message>
        <source>activations held</source>
        <translation>보관 중인 활성값</translation>
    </message>
    <message>
        <source>vocabulary layers inside them </source>
        <translation>그 안의 어휘 레이어 </translation>
    </message>
    <message>
        <source>Range %1 to %2: %3</source>
        <translation>범위 %1~%2: %3</translation>
    </message>
    <message>
        <source>Device %1: busy %2</source>
        <translation>장치 %1: 작업 %2</translation>
    </message>
    <message>
        <source>: %1 passes, busy %2, idle %3</source>
        <translation>: 패스 %1개, 작업 %2, 유휴 %3</translation>
    </message>
    <message>
        <source>Device time: </source>
        <translation>장치 시간: </translation>
    </message>
    <message>
        <source>and %1 more devices</source>
        <translation>외 장치 %1개</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>단위</translation>
    </message>
    <message>
        <source>busy</source>
        <translation>작업</translation>
    </message>
    <message>
        <source>now %1, %2</source>
        <translation>지금 %1, %2</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>찾기</translation>
    </message>
    <message>
        <source>Find passes</source>
        <translation>패스 찾기</translation>
    </message>
    <message>
        <source>B 17, stage 3, device 2</source>
        <translation>B 17, stage 3, device 2</translation>
    </message>
    <message>
        <source>Kind, microbatch, stage N, device N. Return goes on, Shift+Return back, Esc closes</source>
        <translation>종류, 마이크로배치, stage N, device N. Return 다음, Shift+Return 이전, Esc 닫기</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>이전 일치</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>다음 일치</translation>
    </message>
    <message>
        <source>write B 17 or stage 3</source>
        <translation>B 17 또는 stage 3 입력</translation>
    </message>
    <message>
        <source>no such pass</source>
        <translation>그런 패스 없음</translation>
    </message>
    <message>
        <source>%1 of %2 passes</source>
        <translation>패스 %1/%2</translation>
    </message>
    <message>
        <source>No pass is selected: click one.</source>
        <translation>선택한 패스가 없습니다. 하나를 누르십시오.</translation>
    </message>
    <message>
        <source>Loss after the last step</source>
        <translation>마지막 스텝 뒤의 손실</translation>
    </message>
    <message>
        <source> is </source>
        <translation> : </translation>
    </message>
    <message>
        <source>: different kinds of measurement, so nothing is called better between them.</source>
        <translation>: 측정 종류가 달라 우열을 말하지 않습니다.</translation>
    </message>
    <message>
        <source>They were measured on different machines, so nothing is called better between those.</source>
        <translation>서로 다른 컴퓨터에서 측정했으므로 우열을 말하지 않습니다.</translation>
    </message>
    <message>
        <source>%1 and A: %2</source>
        <translation>%1와(과) A: %2</translation>
    </message>
    <message>
        <source>Not the same work, so nothing is called better: %1. Compare tokens/s.</source>
        <translation>작업이 달라 우열을 말하지 않습니다: %1. 토큰/초를 비교하십시오.</translation>
    </message>
    <message>
        <source>run %1: %2</source>
        <translation>실행 %1: %2</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>환경</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>지표</translation>
    </message>
    <message>
        <source>scaled x%1</source>
        <translation>배율 x%1</translation>
    </message>
    <message>
        <source>has no microbatch %1</source>
        <translation>마이크로배치 %1 없음</translation>
    </message>
    <message>
        <source>moved by </source>
        <translation>이동: </translation>
    </message>
    <message>
        <source>order </source>
        <translation>순서 </translation>
    </message>
    <message>
        <source>A preset (see `list models`) or a Hugging Face config.json.</source>
        <translation>프리셋(`list models` 참고) 또는 Hugging Face의 config.json.</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>아키텍처</translation>
    </message>
    <message>
        <source>What a layer is made of: gpt or llama.</source>
        <translation>레이어의 구성: gpt 또는 llama.</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>레이어</translation>
    </message>
    <message>
        <source>Transformer layers.</source>
        <translation>트랜스포머 레이어 수.</translation>
    </message>
    <message>
        <source>Hidden width</source>
        <translation>은닉 폭</translation>
    </message>
    <message>
        <source>Hidden size: width of the residual stream.</source>
        <translation>은닉 크기: 잔차 흐름의 폭.</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>헤드</translation>
    </message>
    <message>
        <source>Attention heads; they divide the hidden size unless --head-dim is given.</source>
        <translation>어텐션 헤드 수. --head-dim이 없으면 은닉 크기를 나누어야 합니다.</translation>
    </message>
    <message>
        <source>Key/value heads</source>
        <translation>키/값 헤드</translation>
    </message>
    <message>
        <source>Key and value heads; they divide the heads (default: as many as heads).</source>
        <translation>키와 값 헤드 수. 헤드 수를 나누어야 합니다(기본: 헤드 수와 같음).</translation>
    </message>
    <message>
        <source>Inner width</source>
        <translation>내부 폭</translation>
    </message>
    <message>
        <source>Inner width of the MLP (default: 4h; llama 8h/3).</source>
        <translation>MLP의 내부 폭(기본 4h, llama 8h/3).</translation>
    </message>
    <message>
        <source>Sequence length</source>
        <translation>시퀀스 길이</translation>
    </message>
    <message>
        <source>Vocabulary size</source>
        <translation>어휘 크기</translation>
    </message>
    <message>
        <source>Tokens of the vocabulary: what the output layer&apos;s work grows with.</source>
        <translation>어휘의 토큰 수. 출력 레이어의 작업이 이에 따라 늘어납니다.</translation>
    </message>
    <message>
        <source>Tied embeddings</source>
        <translation>공유 임베딩</translation>
    </message>
    <message>
        <source>Input embedding and output projection share one matrix.</source>
        <translation>입력 임베딩과 출력 투영이 행렬 하나를 공유합니다.</translation>
    </message>
    <message>
        <source>Number format</source>
        <translation>수 형식</translation>
    </message>
    <message>
        <source>Width of a head</source>
        <translation>헤드 폭</translation>
    </message>
    <message>
        <source>Channels of one head of a llama, an even number (default: h / a).</source>
        <translation>llama 헤드 하나의 채널 수, 짝수(기본 h / a).</translation>
    </message>
    <message>
        <source>Pipeline devices.</source>
        <translation>파이프라인 장치 수.</translation>
    </message>
    <message>
        <source>Microbatches of a step.</source>
        <translation>한 스텝의 마이크로배치 수.</translation>
    </message>
    <message>
        <source>Microbatch size</source>
        <translation>마이크로배치 크기</translation>
    </message>
    <message>
        <source>Sequences of a microbatch.</source>
        <translation>마이크로배치 하나의 시퀀스 수.</translation>
    </message>
    <message>
        <source>Layers of each stage, such as 2/2/2/2 (default: as even as possible).</source>
        <translation>스테이지별 레이어 수(예: 2/2/2/2, 기본: 가능한 한 고르게).</translation>
    </message>
    <message>
        <source>ZeRO</source>
        <translation>ZeRO</translation>
    </message>
    <message>
        <source>Order of ranks</source>
        <translation>랭크 순서</translation>
    </message>
    <message>
        <source>Axes from adjacent ranks to the slowest: a permutation of tp-cp-dp-pp.</source>
        <translation>인접한 랭크부터 가장 느린 축까지: tp-cp-dp-pp의 순열.</translation>
    </message>
    <message>
        <source>The order in which each device runs its passes: see `list schedules`; auto searches them.</source>
        <translation>각 장치가 패스를 실행하는 순서. `list schedules` 참고. auto는 이들을 탐색합니다.</translation>
    </message>
    <message>
        <source>Schedule file</source>
        <translation>스케줄 파일</translation>
    </message>
    <message>
        <source>A custom schedule: Stagelens&apos; text form, or a CSV of PyTorch&apos;s pipelining; - is standard input.</source>
        <translation>사용자 스케줄: Stagelens 텍스트 형식 또는 PyTorch pipelining의 CSV. -는 표준 입력.</translation>
    </message>
    <message>
        <source>Where the input embedding and the output layer are computed: see `list vocabularies`.</source>
        <translation>입력 임베딩과 출력 레이어를 계산하는 곳. `list vocabularies` 참고.</translation>
    </message>
    <message>
        <source>Order of S and T</source>
        <translation>S와 T의 순서</translation>
    </message>
    <message>
        <source>Where the vocabulary passes stand among the others: published or best.</source>
        <translation>어휘 패스가 다른 패스 사이에 놓이는 곳: published 또는 best.</translation>
    </message>
    <message>
        <source>Chunks</source>
        <translation>청크</translation>
    </message>
    <message>
        <source>Stages of each device (interleaved families; 2).</source>
        <translation>장치마다의 스테이지 수(인터리브 계열, 2).</translation>
    </message>
    <message>
        <source>Group size</source>
        <translation>묶음 크기</translation>
    </message>
    <message>
        <source>Microbatches that go through a chunk before the next chunk&apos;s turn (interleaved families; p); a rest that would not fill the pipeline makes groups larger.</source>
        <translation>다음 청크 차례 전에 한 청크를 지나는 마이크로배치 수(인터리브 계열, p). 파이프라인을 채우지 못하는 나머지는 묶음을 키웁니다.</translation>
    </message>
    <message>
        <source>Waves</source>
        <translation>웨이브</translation>
    </message>
    <message>
        <source>Times down and up the devices, two chunks each (hanayo; 1).</source>
        <translation>장치를 오가는 횟수, 각각 청크 두 개(hanayo, 1).</translation>
    </message>
    <message>
        <source>Memory limit (GiB)</source>
        <translation>메모리 한도(GiB)</translation>
    </message>
    <message>
        <source>Most memory of a device, such as 80GiB; what needs more is refused, and families that adapt keep to it.</source>
        <translation>장치 하나의 최대 메모리(예: 80GiB). 넘으면 거부하고, 조정할 수 있는 계열은 이를 지킵니다.</translation>
    </message>
    <message>
        <source>Recomputation</source>
        <translation>재계산</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>어텐션</translation>
    </message>
    <message>
        <source>Flash computes the probabilities again in the backward; materialised keeps them, a s x s matrix for each head.</source>
        <translation>flash는 역전파에서 확률을 다시 계산하고, materialised는 헤드마다 s x s 행렬로 보관합니다.</translation>
    </message>
    <message>
        <source>Costs for</source>
        <translation>비용 기준</translation>
    </message>
    <message>
        <source>Whose speed the prediction assumes: see `list hardware`.</source>
        <translation>예측이 가정하는 속도. `list hardware` 참고.</translation>
    </message>
    <message>
        <source>Durations</source>
        <translation>소요 시간</translation>
    </message>
    <message>
        <source>Milliseconds of each pass of one stage: F B I W S T U EF EB, of messages: send c0 c1 c2.</source>
        <translation>스테이지 하나의 패스별 밀리초: F B I W S T U EF EB, 메시지: send c0 c1 c2.</translation>
    </message>
    <message>
        <source>Durations of</source>
        <translation>소요 시간의 단위</translation>
    </message>
    <message>
        <source>Stage (each chunk takes the time given) or device (each of v chunks takes 1/v).</source>
        <translation>stage(청크마다 주어진 시간) 또는 device(v개 청크가 각각 1/v).</translation>
    </message>
    <message>
        <source>Durations file</source>
        <translation>소요 시간 파일</translation>
    </message>
    <message>
        <source>CSV with the header device,stage,pass,duration_us.</source>
        <translation>머리글이 device,stage,pass,duration_us인 CSV.</translation>
    </message>
    <message>
        <source>Collectives</source>
        <translation>집합 통신</translation>
    </message>
    <message>
        <source>Whether collectives run beside the passes or keep the devices waiting: overlapped or blocking.</source>
        <translation>집합 통신이 패스와 함께 도는지, 장치를 기다리게 하는지: overlapped 또는 blocking.</translation>
    </message>
    <message>
        <source>Backend</source>
        <translation>백엔드</translation>
    </message>
    <message>
        <source>What computes the passes when the plan is trained: see `list backends`.</source>
        <translation>계획을 학습할 때 패스를 계산하는 것. `list backends` 참고.</translation>
    </message>
    <message>
        <source>Clock</source>
        <translation>시계</translation>
    </message>
    <message>
        <source>Live: all devices at once; virtual-clock: each pass measured alone, concurrency simulated.</source>
        <translation>live: 모든 장치 동시. virtual-clock: 패스를 하나씩 측정하고 동시 실행은 시뮬레이션.</translation>
    </message>
    <message>
        <source>Training steps.</source>
        <translation>학습 스텝 수.</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>시드</translation>
    </message>
    <message>
        <source>Of parameters, synthetic data and the places of a text&apos;s sequences.</source>
        <translation>파라미터, 합성 데이터, 텍스트 시퀀스 위치의 시드.</translation>
    </message>
    <message>
        <source>Text or tokens</source>
        <translation>텍스트 또는 토큰</translation>
    </message>
    <message>
        <source>Synthetic, a text file, a folder of texts or a .bin token file (nanoGPT, llm.c).</source>
        <translation>합성 데이터, 텍스트 파일, 텍스트 폴더 또는 .bin 토큰 파일(nanoGPT, llm.c).</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>학습률</translation>
    </message>
    <message>
        <source>Learning rate.</source>
        <translation>학습률.</translation>
    </message>
    <message>
        <source>Betas</source>
        <translation>베타</translation>
    </message>
    <message>
        <source>Weight decay</source>
        <translation>가중치 감쇠</translation>
    </message>
    <message>
        <source>Gradient clipping</source>
        <translation>기울기 자르기</translation>
    </message>
    <message>
        <source>Greatest norm of the whole gradient.</source>
        <translation>전체 기울기의 최대 노름.</translation>
    </message>
    <message>
        <source>GPT-2</source>
        <translation>GPT-2</translation>
    </message>
    <message>
        <source>Learned positions, LayerNorm, GELU, biases</source>
        <translation>학습된 위치, LayerNorm, GELU, 편향</translation>
    </message>
    <message>
        <source>Llama</source>
        <translation>Llama</translation>
    </message>
    <message>
        <source>Rotary positions, RMSNorm, SwiGLU, grouped-query attention</source>
        <translation>회전 위치, RMSNorm, SwiGLU, 그룹 쿼리 어텐션</translation>
    </message>
    <message>
        <source>As published</source>
        <translation>발표된 대로</translation>
    </message>
    <message>
        <source>The order of the paper, or the family&apos;s nearest to it</source>
        <translation>논문의 순서 또는 그에 가장 가까운 순서</translation>
    </message>
    <message>
        <source>Best for these costs</source>
        <translation>이 비용에 최적</translation>
    </message>
    <message>
        <source>Placed for the costs at hand; never longer than the published order</source>
        <translation>현재 비용에 맞추어 배치. 발표된 순서보다 길지 않음</translation>
    </message>
    <message>
        <source>Flash</source>
        <translation>Flash</translation>
    </message>
    <message>
        <source>Probabilities are never stored: the backward computes them again</source>
        <translation>확률을 저장하지 않고 역전파에서 다시 계산</translation>
    </message>
    <message>
        <source>Materialised</source>
        <translation>행렬 보관</translation>
    </message>
    <message>
        <source>Probabilities stay in memory from F to B, s x s numbers for each head</source>
        <translation>확률이 F부터 B까지 메모리에 남음, 헤드마다 s x s개</translation>
    </message>
    <message>
        <source>A device&apos;s share</source>
        <translation>장치의 몫</translation>
    </message>
    <message>
        <source>Each of v chunks takes 1/v: the work stays the same</source>
        <translation>v개 청크가 각각 1/v: 작업량은 같음</translation>
    </message>
    <message>
        <source>Each chunk</source>
        <translation>청크마다</translation>
    </message>
    <message>
        <source>With v chunks a device has v times the work</source>
        <translation>청크가 v개면 장치의 작업이 v배</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>This machine&apos;s processor</source>
        <translation>이 컴퓨터의 프로세서</translation>
    </message>
    <message>
        <source>CUDA</source>
        <translation>CUDA</translation>
    </message>
    <message>
        <source>NVIDIA GPUs</source>
        <translation>NVIDIA GPU</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>자동</translation>
    </message>
    <message>
        <source>Live while devices &lt;= cores, else virtual clock</source>
        <translation>장치 수 &lt;= 코어 수면 실시간, 아니면 가상 시계</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>실시간</translation>
    </message>
    <message>
        <source>Wall clock, all devices at once</source>
        <translation>벽시계, 모든 장치 동시</translation>
    </message>
    <message>
        <source>Virtual clock</source>
        <translation>가상 시계</translation>
    </message>
    <message>
        <source>Each pass measured alone, concurrency simulated</source>
        <translation>패스를 하나씩 측정하고 동시 실행은 시뮬레이션</translation>
    </message>
    <message>
        <source>On first and last device</source>
        <translation>첫 장치와 마지막 장치에</translation>
    </message>
    <message>
        <source>not split</source>
        <translation>나누지 않음</translation>
    </message>
    <message>
        <source>Layers rebalanced</source>
        <translation>레이어 재분배</translation>
    </message>
    <message>
        <source>rebalancing</source>
        <translation>재분배</translation>
    </message>
    <message>
        <source>Split, naive: 3 barriers</source>
        <translation>나눔, 단순: 배리어 3개</translation>
    </message>
    <message>
        <source>naive split</source>
        <translation>단순 나눔</translation>
    </message>
    <message>
        <source>VOCAB-1: split, 2 barriers</source>
        <translation>VOCAB-1: 나눔, 배리어 2개</translation>
    </message>
    <message>
        <source>VOCAB-1</source>
        <translation>VOCAB-1</translation>
    </message>
    <message>
        <source>VOCAB-2: split, 1 barrier</source>
        <translation>VOCAB-2: 나눔, 배리어 1개</translation>
    </message>
    <message>
        <source>VOCAB-2</source>
        <translation>VOCAB-2</translation>
    </message>
    <message>
        <source>Split, all devices at once</source>
        <translation>나눔, 모든 장치 동시</translation>
    </message>
    <message>
        <source>interlaced split</source>
        <translation>인터레이스 나눔</translation>
    </message>
    <message>
        <source>all forwards, then all backwards; keeps every microbatch in memory</source>
        <translation>모든 순전파 뒤에 모든 역전파. 모든 마이크로배치를 메모리에 보관</translation>
    </message>
    <message>
        <source>one forward, one backward in turn; keeps at most as many microbatches as there are devices</source>
        <translation>순전파와 역전파를 번갈아. 최대 장치 수만큼의 마이크로배치를 보관</translation>
    </message>
    <message>
        <source>1F1B with twice as many forwards ahead, so that messages have time; about twice the memory</source>
        <translation>앞선 순전파가 두 배인 1F1B로 메시지에 시간을 줌. 메모리 약 두 배</translation>
    </message>
    <message>
        <source>several chunks a device shorten the bubble, for more messages and a little more memory</source>
        <translation>장치마다 여러 청크로 버블을 줄이고, 메시지와 메모리가 조금 늘어남</translation>
    </message>
    <message>
        <source>several chunks a device, all microbatches through one before the next; keeps every microbatch</source>
        <translation>장치마다 여러 청크, 모든 마이크로배치가 하나를 지난 뒤 다음으로. 모두 보관</translation>
    </message>
    <message>
        <source>splits the backward; weight gradients fill two thirds of 1F1B&apos;s bubble in 1F1B&apos;s memory</source>
        <translation>역전파를 나누어 가중치 기울기가 1F1B의 메모리로 버블의 3분의 2를 채움</translation>
    </message>
    <message>
        <source>splits the backward; no bubble is left but the slant where F, I and W last alike, in twice the memory</source>
        <translation>역전파를 나눔. F, I, W가 같으면 비스듬한 끝 외에 버블이 없음. 메모리 두 배</translation>
    </message>
    <message>
        <source>several chunks a device and a split backward</source>
        <translation>장치마다 여러 청크와 나눈 역전파</translation>
    </message>
    <message>
        <source>splits the backward and orders its passes for the costs at hand, within a memory limit</source>
        <translation>역전파를 나누고 메모리 한도 안에서 현재 비용에 맞추어 패스를 배열</translation>
    </message>
    <message>
        <source>two chunks a device in a V; no bubble is left but half the slant where F, I and W last alike, in 1F1B&apos;s memory</source>
        <translation>장치마다 V자 청크 두 개. F, I, W가 같으면 비스듬한 끝의 절반만 남음. 1F1B의 메모리</translation>
    </message>
    <message>
        <source>two chunks a device in a V; half of 1F1B&apos;s memory, and half of its bubble where F, I and W last alike</source>
        <translation>장치마다 V자 청크 두 개. 1F1B 메모리의 절반, F, I, W가 같으면 버블도 절반</translation>
    </message>
    <message>
        <source>two chunks a device in a V; a third of 1F1B&apos;s memory, and two thirds of its bubble where F, I and W last alike</source>
        <translation>장치마다 V자 청크 두 개. 1F1B 메모리의 3분의 1, F, I, W가 같으면 버블은 3분의 2</translation>
    </message>
    <message>
        <source>two chunks a device in a V, the order found for the durations; little bubble, in 1F1B&apos;s memory</source>
        <translation>장치마다 V자 청크 두 개, 소요 시간에 맞춘 순서. 버블이 작고 1F1B의 메모리</translation>
    </message>
    <message>
        <source>two chunks a device in a V, backward whole; two thirds of 1F1B&apos;s memory, its bubble where B &gt;= 2F</source>
        <translation>장치마다 V자 청크 두 개, 역전파는 통째. 1F1B 메모리의 3분의 2, B &gt;= 2F면 같은 버블</translation>
    </message>
    <message>
        <source>the vocabulary layers sharded as in tensor parallelism: all devices run them at once</source>
        <translation>어휘 레이어를 텐서 병렬처럼 나누어 모든 장치가 동시에 실행</translation>
    </message>
    <message>
        <source>two copies of the model in opposite directions; a forward and a backward overlap</source>
        <translation>반대 방향의 모델 사본 두 개. 순전파와 역전파가 겹침</translation>
    </message>
    <message>
        <source>DualPipe on half of its devices: the model once, two chunks a device in a V</source>
        <translation>절반의 장치에서 DualPipe: 모델 하나, 장치마다 V자 청크 두 개</translation>
    </message>
    <message>
        <source>two copies of the model in opposite directions fill each other&apos;s bubbles</source>
        <translation>반대 방향의 모델 사본 두 개가 서로의 버블을 채움</translation>
    </message>
    <message>
        <source>waves down and up the devices, two chunks each, shorten the bubble for more messages</source>
        <translation>장치를 오가는 웨이브(각 청크 두 개)로 버블을 줄이고 메시지가 늘어남</translation>
    </message>
    <message>
        <source>1F1B without a flush: an update after every backward, and each microbatch keeps its weights</source>
        <translation>비우지 않는 1F1B: 역전파마다 갱신하고 마이크로배치마다 가중치를 보관</translation>
    </message>
    <message>
        <source>1F1B without a flush: one update a step, a step late, with two versions of the weights</source>
        <translation>비우지 않는 1F1B: 스텝마다 한 번, 한 스텝 늦게 갱신. 가중치 두 벌</translation>
    </message>
    <message>
        <source>NVIDIA A100 SXM 80 GB: 312 TFLOP/s, 2.0 TB/s, 8 a node with NVLink, RoCE between nodes; fitted to the runs of arXiv 2411.05288</source>
        <translation>NVIDIA A100 SXM 80 GB: 312 TFLOP/s, 2.0 TB/s, 노드당 8개 NVLink, 노드 간 RoCE. arXiv 2411.05288의 실행에 맞춤</translation>
    </message>
    <message>
        <source>NVIDIA B200 180 GB: 2250 TFLOP/s, 8 TB/s, 8 a node with NVLink, InfiniBand between nodes</source>
        <translation>NVIDIA B200 180 GB: 2250 TFLOP/s, 8 TB/s, 노드당 8개 NVLink, 노드 간 InfiniBand</translation>
    </message>
    <message>
        <source>this machine, one core a device (general values until it is calibrated)</source>
        <translation>이 컴퓨터, 장치당 코어 하나(보정 전에는 일반 값)</translation>
    </message>
    <message>
        <source>NVIDIA H100 SXM 80 GB: 989 TFLOP/s, 3.35 TB/s, 8 a node with NVLink, InfiniBand between nodes; collectives as measured on H200 (the same NVLink) and, between nodes, on B200 (the same network)</source>
        <translation>NVIDIA H100 SXM 80 GB: 989 TFLOP/s, 3.35 TB/s, 노드당 8개 NVLink, 노드 간 InfiniBand. 집합 통신은 H200(같은 NVLink), 노드 간은 B200(같은 네트워크)에서 측정</translation>
    </message>
    <message>
        <source>NVIDIA H200 SXM 141 GB: 989 TFLOP/s, 4.8 TB/s, 8 a node with NVLink, InfiniBand between nodes; collectives between nodes as measured on B200 (the same network)</source>
        <translation>NVIDIA H200 SXM 141 GB: 989 TFLOP/s, 4.8 TB/s, 노드당 8개 NVLink, 노드 간 InfiniBand. 노드 간 집합 통신은 B200(같은 네트워크)에서 측정</translation>
    </message>
    <message>
        <source>AMD Instinct MI300X 192 GB: 1307 TFLOP/s, 5.3 TB/s, 8 a node with Infinity Fabric, RoCE between nodes</source>
        <translation>AMD Instinct MI300X 192 GB: 1307 TFLOP/s, 5.3 TB/s, 노드당 8개 Infinity Fabric, 노드 간 RoCE</translation>
    </message>
    <message>
        <source>NVIDIA GeForce RTX 4090 24 GB: 165 TFLOP/s, 1.0 TB/s, 8 a node over PCIe 4 through the host</source>
        <translation>NVIDIA GeForce RTX 4090 24 GB: 165 TFLOP/s, 1.0 TB/s, 노드당 8개, 호스트를 거친 PCIe 4</translation>
    </message>
    <message>
        <source>Gemma 2 27B in shape, computed as a Llama: 256k vocabulary</source>
        <translation>Gemma 2 27B의 모양, Llama로 계산: 어휘 256k</translation>
    </message>
    <message>
        <source>Gemma 2 2B in shape, computed as a Llama: 256k vocabulary</source>
        <translation>Gemma 2 2B의 모양, Llama로 계산: 어휘 256k</translation>
    </message>
    <message>
        <source>Gemma 2 9B in shape, computed as a Llama: 256k vocabulary, about five layers&apos; worth of output layer</source>
        <translation>Gemma 2 9B의 모양, Llama로 계산: 어휘 256k, 출력 레이어가 약 다섯 레이어에 해당</translation>
    </message>
    <message>
        <source>the 10B model of arXiv 2411.05288, table 1 (1F1B on 16 devices); 256k vocabulary</source>
        <translation>arXiv 2411.05288 표 1의 10B 모델(장치 16개의 1F1B), 어휘 256k</translation>
    </message>
    <message>
        <source>the 16B model of arXiv 2411.05288, table 2 (V-Half on 24 devices); 256k vocabulary</source>
        <translation>arXiv 2411.05288 표 2의 16B 모델(장치 24개의 V-Half), 어휘 256k</translation>
    </message>
    <message>
        <source>the 21B model of arXiv 2411.05288, table 1 (1F1B on 32 devices); 256k vocabulary</source>
        <translation>arXiv 2411.05288 표 1의 21B 모델(장치 32개의 1F1B), 어휘 256k</translation>
    </message>
    <message>
        <source>the 30B model of arXiv 2411.05288, table 2 (V-Half on 32 devices); 256k vocabulary</source>
        <translation>arXiv 2411.05288 표 2의 30B 모델(장치 32개의 V-Half), 어휘 256k</translation>
    </message>
    <message>
        <source>the 4B model of arXiv 2411.05288, table 1 (1F1B on 8 devices); 256k vocabulary</source>
        <translation>arXiv 2411.05288 표 1의 4B 모델(장치 8개의 1F1B), 어휘 256k</translation>
    </message>
    <message>
        <source>the 7B model of arXiv 2411.05288, table 2 (V-Half on 16 devices); 256k vocabulary</source>
        <translation>arXiv 2411.05288 표 2의 7B 모델(장치 16개의 V-Half), 어휘 256k</translation>
    </message>
    <message>
        <source>small GPT for a laptop; its output layer costs as much as 4.6 of its transformer layers</source>
        <translation>노트북용 작은 GPT. 출력 레이어의 비용이 트랜스포머 레이어 4.6개와 같음</translation>
    </message>
    <message>
        <source>GPT-2 small as published: 12 layers, tied vocabulary</source>
        <translation>발표된 GPT-2 small: 레이어 12개, 공유 어휘</translation>
    </message>
    <message>
        <source>Llama 3 and 3.1 8B: grouped-query attention, 128k vocabulary</source>
        <translation>Llama 3과 3.1 8B: 그룹 쿼리 어텐션, 어휘 128k</translation>
    </message>
    <message>
        <source>Llama 3.1 405B in shape: grouped-query attention, 128k vocabulary</source>
        <translation>Llama 3.1 405B의 모양: 그룹 쿼리 어텐션, 어휘 128k</translation>
    </message>
    <message>
        <source>Llama 3.1 70B in shape: grouped-query attention, 128k vocabulary</source>
        <translation>Llama 3.1 70B의 모양: 그룹 쿼리 어텐션, 어휘 128k</translation>
    </message>
    <message>
        <source>small Llama for a laptop, with grouped-query attention</source>
        <translation>노트북용 작은 Llama, 그룹 쿼리 어텐션</translation>
    </message>
    <message>
        <source>off</source>
        <translation>끔</translation>
    </message>
    <message>
        <source>the vocabulary layers</source>
        <translation>어휘 레이어</translation>
    </message>
    <message>
        <source>the output layer</source>
        <translation>출력 레이어</translation>
    </message>
    <message>
        <source>the input embedding</source>
        <translation>입력 임베딩</translation>
    </message>
    <message>
        <source>One device does all the work.</source>
        <translation>장치 하나가 모든 작업을 합니다.</translation>
    </message>
    <message>
        <source>The devices are evenly loaded; they idle %1 of the time.</source>
        <translation>장치의 부하가 고릅니다. 시간의 %1 동안 유휴입니다.</translation>
    </message>
    <message>
        <source>Device %1 holds the others up: </source>
        <translation>장치 %1이(가) 다른 장치를 막습니다: </translation>
    </message>
    <message>
        <source>%1 of its work is %2; </source>
        <translation>작업의 %1이(가) %2; </translation>
    </message>
    <message>
        <source>it has the most work; </source>
        <translation>작업이 가장 많음; </translation>
    </message>
    <message>
        <source>the others idle %1 of the time.</source>
        <translation>다른 장치는 시간의 %1 동안 유휴.</translation>
    </message>
    <message>
        <source>Device %1 %2.</source>
        <translation>장치 %1 %2.</translation>
    </message>
    <message>
        <source>Try </source>
        <translation>시도: </translation>
    </message>
    <message>
        <source>Also: </source>
        <translation>또한: </translation>
    </message>
    <message>
        <source> %1 would make the iteration about %2 as fast.</source>
        <translation> %1을(를) 쓰면 반복 속도가 약 %2로 빨라집니다.</translation>
    </message>
    <message>
        <source>A custom order has its own vocabulary method; choose a family to try another.</source>
        <translation>사용자 순서에는 자체 어휘 방법이 있습니다. 다른 방법을 시도하려면 계열을 고르십시오.</translation>
    </message>
    <message>
        <source>No vocabulary method makes this plan more than 1 % faster at this memory (predicted). Schedules were not tried.</source>
        <translation>이 메모리에서 이 계획을 1 % 넘게 빠르게 하는 어휘 방법이 없습니다(예측). 스케줄은 시도하지 않았습니다.</translation>
    </message>
    <message>
        <source>selective recomputation</source>
        <translation>선택적 재계산</translation>
    </message>
    <message>
        <source>full recomputation</source>
        <translation>전체 재계산</translation>
    </message>
    <message>
        <source>%1 devices</source>
        <translation>장치 %1개</translation>
    </message>
    <message>
        <source>An iteration takes %1, and the devices idle %2 of the time (predicted).</source>
        <translation>반복에 %1 걸리고 장치는 시간의 %2 동안 유휴입니다(예측).</translation>
    </message>
    <message>
        <source>Your own</source>
        <translation>직접 만든 것</translation>
    </message>
    <message>
        <source>Asynchronous</source>
        <translation>비동기</translation>
    </message>
    <message>
        <source>Bidirectional</source>
        <translation>양방향</translation>
    </message>
    <message>
        <source>V: a device has the first and the last stages</source>
        <translation>V자: 한 장치가 처음과 마지막 스테이지를 가짐</translation>
    </message>
    <message>
        <source>Interleaved: a device has several chunks</source>
        <translation>인터리브: 장치마다 여러 청크</translation>
    </message>
    <message>
        <source>Zero bubble: the backward is split</source>
        <translation>제로 버블: 역전파를 나눔</translation>
    </message>
    <message>
        <source>Classic</source>
        <translation>기본</translation>
    </message>
    <message>
        <source>Split over all devices</source>
        <translation>모든 장치에 나눔</translation>
    </message>
    <message>
        <source>Whole layers</source>
        <translation>통째 레이어</translation>
    </message>
    <message>
        <source>another model</source>
        <translation>다른 모델</translation>
    </message>
    <message>
        <source>as the baseline</source>
        <translation>기준으로</translation>
    </message>
    <message>
        <source>Run %1</source>
        <translation>실행 %1</translation>
    </message>
    <message>
        <source>The run</source>
        <translation>실행</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>실패함</translation>
    </message>
    <message>
        <source>was interrupted</source>
        <translation>중단됨</translation>
    </message>
    <message>
        <source>needs %1 of %2 %3</source>
        <translation>%2 %3 중 %1 필요</translation>
    </message>
    <message>
        <source>CPU, </source>
        <translation>CPU, </translation>
    </message>
    <message>
        <source>live, %1 devices on %2 cores</source>
        <translation>실시간, 코어 %2개에 장치 %1개</translation>
    </message>
    <message>
        <source>virtual clock, because %1 devices &gt; %2 cores</source>
        <translation>가상 시계, 장치 %1개 &gt; 코어 %2개</translation>
    </message>
    <message>
        <source>virtual clock, as chosen</source>
        <translation>가상 시계, 선택함</translation>
    </message>
    <message>
        <source>; about </source>
        <translation>; 약 </translation>
    </message>
    <message>
        <source>not available: </source>
        <translation>사용할 수 없음: </translation>
    </message>
    <message>
        <source>%1, %2 cores, %3</source>
        <translation>%1, 코어 %2개, %3</translation>
    </message>
    <message>
        <source>This plan cannot be trained. </source>
        <translation>이 계획은 학습할 수 없습니다. </translation>
    </message>
    <message>
        <source>The plan is being computed.</source>
        <translation>계획을 계산하는 중입니다.</translation>
    </message>
    <message>
        <source>This teaching example has no model to train. Choose a model.</source>
        <translation>이 교육용 예제에는 학습할 모델이 없습니다. 모델을 고르십시오.</translation>
    </message>
    <message>
        <source>%1 microbatches</source>
        <translation>마이크로배치 %1개</translation>
    </message>
    <message>
        <source>no clear difference</source>
        <translation>뚜렷한 차이 없음</translation>
    </message>
    <message>
        <source>better </source>
        <translation>나음 </translation>
    </message>
    <message>
        <source>worse </source>
        <translation>나쁨 </translation>
    </message>
    <message>
        <source>%1%2 point</source>
        <translation>%1%2포인트</translation>
    </message>
    <message>
        <source>%1%2 points</source>
        <translation>%1%2포인트</translation>
    </message>
    <message>
        <source> min</source>
        <translation>분</translation>
    </message>
    <message>
        <source> h</source>
        <translation>시간</translation>
    </message>
    <message>
        <source>Custom order</source>
        <translation>사용자 순서</translation>
    </message>
    <message>
        <source>Published</source>
        <translation>발표값</translation>
    </message>
    <message>
        <source>Imported</source>
        <translation>가져옴</translation>
    </message>
    <message>
        <source>simulated from the costs of each pass</source>
        <translation>각 패스의 비용으로 시뮬레이션</translation>
    </message>
    <message>
        <source>wall clock, all devices at once</source>
        <translation>벽시계, 모든 장치 동시</translation>
    </message>
    <message>
        <source>each pass measured alone, concurrency simulated</source>
        <translation>패스를 하나씩 측정하고 동시 실행은 시뮬레이션</translation>
    </message>
    <message>
        <source>from a paper</source>
        <translation>논문에서</translation>
    </message>
    <message>
        <source>from another program&apos;s trace</source>
        <translation>다른 프로그램의 트레이스에서</translation>
    </message>
    <message>
        <source>running</source>
        <translation>실행 중</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>완료</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>취소됨</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>중단됨</translation>
    </message>
    <message>
        <source>Custom: </source>
        <translation>사용자: </translation>
    </message>
    <message>
        <source> · %1 devices × %2 microbatches</source>
        <translation> · 장치 %1개 × 마이크로배치 %2개</translation>
    </message>
    <message>
        <source> × %1 replicas</source>
        <translation> × 복제본 %1개</translation>
    </message>
    <message>
        <source>Groups of up to %1 microbatches: the rest would not fill the pipeline.</source>
        <translation>마이크로배치 최대 %1개씩 묶음: 나머지는 파이프라인을 채우지 못합니다.</translation>
    </message>
    <message>
        <source>this computer</source>
        <translation>이 컴퓨터</translation>
    </message>
    <message>
        <source>teaching units</source>
        <translation>교육용 단위</translation>
    </message>
    <message>
        <source>a durations file</source>
        <translation>소요 시간 파일</translation>
    </message>
    <message>
        <source>No run on %1 was measured: its costs are estimates from published figures.</source>
        <translation>%1에서 측정한 실행이 없습니다. 비용은 공개된 수치에서 추정했습니다.</translation>
    </message>
    <message>
        <source>Tokens of a microbatch</source>
        <translation>마이크로배치의 토큰</translation>
    </message>
    <message>
        <source>%1: %L2, measured %L3 to %L4</source>
        <translation>%1: %L2, 측정 범위 %L3~%L4</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>이 컴퓨터</translation>
    </message>
    <message>
        <source> parameters</source>
        <translation> 파라미터</translation>
    </message>
    <message>
        <source>%1 was not opened. %2</source>
        <translation>%1을(를) 열지 않았습니다. %2</translation>
    </message>
    <message>
        <source>A run is going on. Stop it with Shift+F5.</source>
        <translation>실행이 진행 중입니다. Shift+F5로 중지하십시오.</translation>
    </message>
    <message>
        <source>Run %1 measured this plan in milliseconds; teaching units have no common axis with it. Choose the costs of this computer to see both.</source>
        <translation>실행 %1은(는) 이 계획을 밀리초로 측정했습니다. 교육용 단위와는 축이 다릅니다. 둘 다 보려면 이 컴퓨터의 비용을 고르십시오.</translation>
    </message>
    <message>
        <source>By pass kind…</source>
        <translation>패스 종류별…</translation>
    </message>
    <message>
        <source>Where the measured time differs from the predicted one</source>
        <translation>측정 시간이 예측과 다른 곳</translation>
    </message>
    <message>
        <source>Measured against predicted, by pass kind</source>
        <translation>패스 종류별 측정 대 예측</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>개수</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>차이</translation>
    </message>
    <message>
        <source>Spread</source>
        <translation>산포</translation>
    </message>
    <message>
        <source>Passes that the prediction and the run both have</source>
        <translation>예측과 실행에 모두 있는 패스</translation>
    </message>
    <message>
        <source>Median duration of a pass</source>
        <translation>패스 소요 시간의 중앙값</translation>
    </message>
    <message>
        <source>Of the two medians</source>
        <translation>두 중앙값의 차이</translation>
    </message>
    <message>
        <source>Half of the passes differ from their prediction by this much</source>
        <translation>패스 절반이 예측과 이만큼 다름</translation>
    </message>
    <message>
        <source>Measured less predicted, of all passes of the kind</source>
        <translation>그 종류의 모든 패스에서 측정 빼기 예측</translation>
    </message>
    <message>
        <source>The machine was probably busy with other work: half of the steps took %1 to %2, although each does the same work. Train again when it is idle.</source>
        <translation>컴퓨터가 다른 작업으로 바빴던 것 같습니다. 스텝마다 같은 작업인데 절반이 %1에서 %2까지 걸렸습니다. 한가할 때 다시 학습하십시오.</translation>
    </message>
    <message>
        <source>The iteration: predicted %1, measured %2. What the passes do not explain is waiting and messages.</source>
        <translation>반복: 예측 %1, 측정 %2. 패스로 설명되지 않는 부분은 대기와 메시지입니다.</translation>
    </message>
    <message>
        <source>fp32</source>
        <translation>fp32</translation>
    </message>
    <message>
        <source>bf16</source>
        <translation>bf16</translation>
    </message>
    <message>
        <source>fp16</source>
        <translation>fp16</translation>
    </message>
    <message>
        <source>hidden / heads</source>
        <translation>은닉 폭 / 헤드 수</translation>
    </message>
    <message>
        <source>Replicas</source>
        <translation>복제본</translation>
    </message>
    <message>
        <source>Data-parallel copies of the pipeline, each with its own microbatches.</source>
        <translation>파이프라인의 데이터 병렬 사본. 각각 자신의 마이크로배치를 가집니다.</translation>
    </message>
    <message>
        <source>whole, on the first and the last stage</source>
        <translation>통째로 첫 스테이지와 마지막 스테이지에</translation>
    </message>
    <message>
        <source>whole, with the transformer layers redistributed to balance the stages</source>
        <translation>통째로, 트랜스포머 레이어를 재분배하여 스테이지를 고르게</translation>
    </message>
    <message>
        <source>sharded over all devices, three barriers</source>
        <translation>모든 장치에 나눔, 배리어 세 개</translation>
    </message>
    <message>
        <source>sharded over all devices, two barriers (arXiv 2411.05288, algorithm 1)</source>
        <translation>모든 장치에 나눔, 배리어 두 개(arXiv 2411.05288, 알고리즘 1)</translation>
    </message>
    <message>
        <source>sharded over all devices, one barrier (arXiv 2411.05288, algorithm 2)</source>
        <translation>모든 장치에 나눔, 배리어 한 개(arXiv 2411.05288, 알고리즘 2)</translation>
    </message>
    <message>
        <source>devices</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>Selective</source>
        <translation>선택적</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>전체</translation>
    </message>
    <message>
        <source>Overlap with passes</source>
        <translation>패스와 겹침</translation>
    </message>
    <message>
        <source>Block the devices</source>
        <translation>장치를 막음</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>옵티마이저</translation>
    </message>
    <message>
        <source>AdamW</source>
        <translation>AdamW</translation>
    </message>
    <message>
        <source>mean and square of the gradient, and a decay of weights</source>
        <translation>기울기의 평균과 제곱, 그리고 가중치 감쇠</translation>
    </message>
    <message>
        <source>The baseline is being predicted…</source>
        <translation>기준을 예측하는 중…</translation>
    </message>
    <message>
        <source>As &amp;morph</source>
        <translation>변형으로(&amp;M)</translation>
    </message>
    <message>
        <source>impossible. </source>
        <translation>불가능. </translation>
    </message>
    <message>
        <source>impossible</source>
        <translation>불가능</translation>
    </message>
    <message>
        <source>Tensor ranks</source>
        <translation>텐서 랭크</translation>
    </message>
    <message>
        <source>Ranks that share each layer: heads and inner columns.</source>
        <translation>각 레이어를 나누는 랭크: 헤드와 내부 열.</translation>
    </message>
    <message>
        <source>Sequence parallel</source>
        <translation>시퀀스 병렬</translation>
    </message>
    <message>
        <source>With tensor ranks: each has the tokens of its own outside of attention and MLP (on by default).</source>
        <translation>텐서 랭크에서: 어텐션과 MLP 밖에서는 각 랭크가 자기 토큰만 가집니다(기본으로 켜짐).</translation>
    </message>
    <message>
        <source>Whose speed the prediction assumes: see `list hardware`; or the file of a cluster, as `hardware` writes it.</source>
        <translation>예측이 가정하는 속도. `list hardware` 참고. 또는 `hardware`가 쓰는 클러스터 파일.</translation>
    </message>
    <message>
        <source>&amp;Copy and edit…</source>
        <translation>복사하여 편집(&amp;C)…</translation>
    </message>
    <message>
        <source>A cluster of your own: nodes, links, collectives, memory, price</source>
        <translation>사용자 클러스터: 노드, 링크, 집합 통신, 메모리, 가격</translation>
    </message>
    <message>
        <source>What starts this plan there, and what it leaves out (stagelens-cli export --format %1)</source>
        <translation>그곳에서 이 계획을 시작하는 내용과 빠지는 부분(stagelens-cli export --format %1)</translation>
    </message>
    <message>
        <source>
Tensor ranks exchange for %1 of device %2&apos;s passes (%3).</source>
        <translation>
텐서 랭크의 교환이 장치 %2의 패스 중 %1을(를) 차지합니다(%3).</translation>
    </message>
    <message>
        <source>
The what-ifs are being computed.</source>
        <translation>
가정을 계산하는 중입니다.</translation>
    </message>
    <message>
        <source>slow parts</source>
        <translation>느린 부분</translation>
    </message>
    <message>
        <source>Cluster of your own</source>
        <translation>사용자 클러스터</translation>
    </message>
    <message>
        <source>--hardware FILE: a copy of a preset that is edited with Copy and edit in the hardware chip</source>
        <translation>--hardware FILE: 프리셋의 사본. 하드웨어 칩의 복사하여 편집으로 고칩니다</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>가정</translation>
    </message>
    <message>
        <source>Tensor ranks sum the gradients of what all of them hold</source>
        <translation>텐서 랭크가 모두 가진 파라미터의 기울기를 합산</translation>
    </message>
    <message>
        <source>Activations go to the host</source>
        <translation>활성값을 호스트로 복사</translation>
    </message>
    <message>
        <source>Activations come back from the host</source>
        <translation>활성값을 호스트에서 되가져옴</translation>
    </message>
    <message>
        <source>tensor ranks</source>
        <translation>텐서 랭크</translation>
    </message>
    <message>
        <source>exchange of tensor ranks</source>
        <translation>텐서 랭크의 교환</translation>
    </message>
    <message>
        <source> × %1 tensor</source>
        <translation> × 텐서 %1</translation>
    </message>
    <message>
        <source>%1 ranks = %2 devices</source>
        <translation>랭크 %1개 = 장치 %2개</translation>
    </message>
    <message>
        <source>The what-ifs were not computed. </source>
        <translation>가정을 계산하지 못했습니다. </translation>
    </message>
    <message>
        <source>Export &amp;launch</source>
        <translation>실행 설정 내보내기(&amp;L)</translation>
    </message>
    <message>
        <source>%1 among %2 ranks on %3: %4 sizes</source>
        <translation>%3의 랭크 %2개 사이의 %1: 크기 %4가지</translation>
    </message>
    <message>
        <source>1 node</source>
        <translation>노드 1개</translation>
    </message>
    <message>
        <source>%1 nodes</source>
        <translation>노드 %1개</translation>
    </message>
    <message>
        <source>None: collectives are estimated from the links</source>
        <translation>없음: 집합 통신은 링크로 추정합니다</translation>
    </message>
    <message>
        <source>The unequal lengths of the sequences cost</source>
        <translation>길이가 다른 시퀀스가 차지하는 것은</translation>
    </message>
    <message>
        <source>%1 takes %2 as long and costs</source>
        <translation>%1이(가) %2 걸려 차지하는 것은</translation>
    </message>
    <message>
        <source>%1 is %2 slow and costs</source>
        <translation>%1이(가) %2 느려 차지하는 것은</translation>
    </message>
    <message>
        <source>hour</source>
        <translation>시간</translation>
    </message>
    <message>
        <source>%1 hours</source>
        <translation>%1시간</translation>
    </message>
    <message>
        <source>With a failure every %1, a checkpoint every %2 (%3) is best: goodput %4 %.</source>
        <translation>%1마다 고장이 나면 %2마다(%3) 체크포인트를 쓰는 것이 가장 좋습니다: 굿풋 %4 %.</translation>
    </message>
    <message>
        <source> steps</source>
        <translation> 스텝</translation>
    </message>
    <message>
        <source>With %1 % jitter a step takes %2 on average, 5 to 95 %: %3 – %4 (%5 draws).</source>
        <translation>지터 %1 %에서 한 스텝은 평균 %2, 5~95 %: %3 – %4 (추출 %5회).</translation>
    </message>
    <message>
        <source> Device %1 is critical most often, in %2 of the draws.</source>
        <translation> 장치 %1이(가) 추출의 %2에서 가장 자주 임계 경로에 있습니다.</translation>
    </message>
    <message>
        <source>%1 %2 of the step.</source>
        <translation>%1 스텝의 %2입니다.</translation>
    </message>
    <message>
        <source> In first position it would cost %1.</source>
        <translation> 첫 자리라면 %1입니다.</translation>
    </message>
    <message>
        <source>Without its what-ifs the step would take %1.</source>
        <translation>가정이 없으면 스텝은 %1 걸립니다.</translation>
    </message>
    <message>
        <source>The picture shows replica %1, which ends last.</source>
        <translation>그림은 가장 늦게 끝나는 복제본 %1을(를) 보여 줍니다.</translation>
    </message>
    <message>
        <source>5 to 95 %: %1 – %2</source>
        <translation>5~95 %: %1 – %2</translation>
    </message>
    <message>
        <source>critical %1</source>
        <translation>임계 %1</translation>
    </message>
    <message>
        <source>Slow devices</source>
        <translation>느린 장치</translation>
    </message>
    <message>
        <source>What takes longer, and how many times: DEVICE=F, rank=R:F, node=N:F, replica=K:F.</source>
        <translation>무엇이 몇 배 더 걸리는지: DEVICE=F, rank=R:F, node=N:F, replica=K:F.</translation>
    </message>
    <message>
        <source>Slow links</source>
        <translation>느린 링크</translation>
    </message>
    <message>
        <source>Messages between devices A and B take F times as long, such as 2-3=4.</source>
        <translation>장치 A와 B 사이의 메시지가 F배 걸립니다. 예: 2-3=4.</translation>
    </message>
    <message>
        <source>Jitter</source>
        <translation>지터</translation>
    </message>
    <message>
        <source>Random variation of every pass: its standard deviation divided by its mean, such as 0.05.</source>
        <translation>모든 패스의 무작위 변동: 표준 편차를 평균으로 나눈 값. 예: 0.05.</translation>
    </message>
    <message>
        <source>Draws</source>
        <translation>추출</translation>
    </message>
    <message>
        <source>Steps that are drawn with the jitter, from training.seed (default: 200).</source>
        <translation>지터로 추출하는 스텝 수. 시드는 training.seed(기본값: 200).</translation>
    </message>
    <message>
        <source>200</source>
        <translation>200</translation>
    </message>
    <message>
        <source>Sequence lengths</source>
        <translation>시퀀스 길이</translation>
    </message>
    <message>
        <source>CSV with the header microbatch,length or replica,microbatch,length, a row for each sequence.</source>
        <translation>머리글이 microbatch,length 또는 replica,microbatch,length인 CSV, 시퀀스마다 한 줄.</translation>
    </message>
    <message>
        <source>Hours between failures</source>
        <translation>고장 사이의 시간</translation>
    </message>
    <message>
        <source>Mean time between failures of the whole job.</source>
        <translation>전체 작업의 평균 고장 간격.</translation>
    </message>
    <message>
        <source>Seconds of a checkpoint</source>
        <translation>체크포인트 시간(초)</translation>
    </message>
    <message>
        <source>How long writing a checkpoint keeps the job waiting.</source>
        <translation>체크포인트를 쓰는 동안 작업이 기다리는 시간.</translation>
    </message>
    <message>
        <source>Seconds of a restart</source>
        <translation>재시작 시간(초)</translation>
    </message>
    <message>
        <source>From a failure until the job continues from its checkpoint (default: 0).</source>
        <translation>고장부터 작업이 체크포인트에서 이어질 때까지(기본값: 0).</translation>
    </message>
    <message>
        <source>Momentum</source>
        <translation>모멘텀</translation>
    </message>
    <message>
        <source>Decay of the sum of gradients (sgd, muon).</source>
        <translation>기울기 합의 감쇠(sgd, muon).</translation>
    </message>
    <message>
        <source>Rate of tables</source>
        <translation>표의 학습률</translation>
    </message>
    <message>
        <source>Learning rate of the tables and vectors, which muon leaves to AdamW.</source>
        <translation>muon이 AdamW에 맡기는 표와 벡터의 학습률.</translation>
    </message>
    <message>
        <source>Scale by parameter</source>
        <translation>파라미터로 조정</translation>
    </message>
    <message>
        <source>Multiply the rate of adafactor by the root mean square of each parameter, and let it fall as 1 / sqrt(t).</source>
        <translation>adafactor의 학습률에 각 파라미터의 제곱 평균 제곱근을 곱하고 1 / sqrt(t)로 낮춥니다.</translation>
    </message>
    <message>
        <source>Decay of the mean and of the square (adamw), or share and decay of the momentum (lion), such as 0.9,0.95.</source>
        <translation>평균과 제곱의 감쇠(adamw) 또는 모멘텀의 비중과 감쇠(lion). 예: 0.9,0.95.</translation>
    </message>
    <message>
        <source>Decay of weights, apart from the gradient; sgd adds it to the gradient.</source>
        <translation>기울기와 별개인 가중치 감쇠; sgd는 기울기에 더합니다.</translation>
    </message>
    <message>
        <source>Adafactor</source>
        <translation>Adafactor</translation>
    </message>
    <message>
        <source>second moments from the means of rows and columns: almost no state</source>
        <translation>행과 열의 평균에서 얻는 2차 모멘트: 상태가 거의 없음</translation>
    </message>
    <message>
        <source>Adam, 8 bits</source>
        <translation>8비트 Adam</translation>
    </message>
    <message>
        <source>AdamW with moments of 8 bits: two bytes a parameter</source>
        <translation>모멘트가 8비트인 AdamW: 파라미터당 2바이트</translation>
    </message>
    <message>
        <source>Lion</source>
        <translation>Lion</translation>
    </message>
    <message>
        <source>the sign of a mean of gradients: one number a parameter</source>
        <translation>기울기 평균의 부호: 파라미터당 수 하나</translation>
    </message>
    <message>
        <source>Muon</source>
        <translation>Muon</translation>
    </message>
    <message>
        <source>orthogonal updates of matrices: one number a parameter; AdamW for tables</source>
        <translation>행렬의 직교 갱신: 파라미터당 수 하나; 표는 AdamW</translation>
    </message>
    <message>
        <source>SGD with momentum</source>
        <translation>모멘텀 SGD</translation>
    </message>
    <message>
        <source>a decaying sum of the gradients: one number a parameter</source>
        <translation>감쇠하는 기울기 합: 파라미터당 수 하나</translation>
    </message>
    <message>
        <source>Adafactor, adam8bit, adamw, lion, muon, sgd.</source>
        <translation>adafactor, adam8bit, adamw, lion, muon, sgd.</translation>
    </message>
    <message>
        <source>the 1T model of Megatron-LM (arXiv 2104.04473, table 1) in shape</source>
        <translation>Megatron-LM의 1T 모델의 형태(arXiv 2104.04473, 표 1)</translation>
    </message>
    <message>
        <source>GPT-3 175B in shape (arXiv 2005.14165, table 2.1)</source>
        <translation>GPT-3 175B의 형태(arXiv 2005.14165, 표 2.1)</translation>
    </message>
    <message>
        <source>MT-NLG 530B in shape (arXiv 2201.11990)</source>
        <translation>MT-NLG 530B의 형태(arXiv 2201.11990)</translation>
    </message>
    <message>
        <source>Many ranks</source>
        <translation>여러 랭크</translation>
    </message>
    <message>
        <source>Every layer waits for tensor communication: %1 of the step.</source>
        <translation>모든 레이어가 텐서 통신을 기다립니다: 스텝의 %1.</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>클러스터</translation>
    </message>
    <message>
        <source>Export for %1</source>
        <translation>%1용으로 내보내기</translation>
    </message>
    <message>
        <source>Edit the cluster</source>
        <translation>클러스터 편집</translation>
    </message>
    <message>
        <source>Use this cluster</source>
        <translation>이 클러스터 사용</translation>
    </message>
    <message>
        <source>Save as a file…</source>
        <translation>파일로 저장…</translation>
    </message>
    <message>
        <source>For stagelens-cli --hardware FILE and calibrate; the experiment contains the cluster without it</source>
        <translation>stagelens-cli --hardware FILE과 calibrate용; 없어도 실험에 클러스터가 들어 있습니다</translation>
    </message>
    <message>
        <source>Clusters (*.json);;All files (*)</source>
        <translation>클러스터 (*.json);;모든 파일 (*)</translation>
    </message>
    <message>
        <source>Open a cluster</source>
        <translation>클러스터 열기</translation>
    </message>
    <message>
        <source>Save the cluster</source>
        <translation>클러스터 저장</translation>
    </message>
    <message>
        <source>No preset&apos;s name</source>
        <translation>프리셋의 이름이 아니어야 합니다</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>설명</translation>
    </message>
    <message>
        <source>One line</source>
        <translation>한 줄</translation>
    </message>
    <message>
        <source>Currency of the price</source>
        <translation>가격의 통화</translation>
    </message>
    <message>
        <source>Such as USD</source>
        <translation>예: USD</translation>
    </message>
    <message>
        <source>Fill them with stagelens-cli calibrate --nccl-tests LOG</source>
        <translation>stagelens-cli calibrate --nccl-tests LOG로 채웁니다</translation>
    </message>
    <message>
        <source>Measured collectives</source>
        <translation>측정된 집합 통신</translation>
    </message>
    <message>
        <source>Saving…</source>
        <translation>저장하는 중…</translation>
    </message>
    <message>
        <source>Saved as %1.</source>
        <translation>%1(으)로 저장했습니다.</translation>
    </message>
    <message>
        <source>The cluster was not saved. </source>
        <translation>클러스터를 저장하지 못했습니다. </translation>
    </message>
    <message>
        <source>The file was not opened. </source>
        <translation>파일을 열지 못했습니다. </translation>
    </message>
    <message>
        <source>Exported</source>
        <translation>내보냄</translation>
    </message>
    <message>
        <source>Written to %1.</source>
        <translation>%1에 썼습니다.</translation>
    </message>
    <message>
        <source> The schedule is the file beside it that ends in .csv.</source>
        <translation> 스케줄은 옆에 있는 .csv 파일입니다.</translation>
    </message>
    <message>
        <source>All of the plan is carried over.</source>
        <translation>계획의 모든 내용이 옮겨집니다.</translation>
    </message>
    <message>
        <source>Not carried over:</source>
        <translation>옮겨지지 않는 것:</translation>
    </message>
    <message>
        <source>Names of arguments as in %1.</source>
        <translation>인수 이름은 %1 기준입니다.</translation>
    </message>
    <message>
        <source>Separated by spaces: %1</source>
        <translation>공백으로 구분: %1</translation>
    </message>
    <message>
        <source>Slower by at most</source>
        <translation>느려짐 최대</translation>
    </message>
    <message>
        <source>“%1” is not one of: %2.</source>
        <translation>“%1”은(는) 다음 중 하나가 아닙니다: %2.</translation>
    </message>
    <message>
        <source>Write the values to go through, such as %1.</source>
        <translation>살펴볼 값을 적으십시오. 예: %1.</translation>
    </message>
    <message>
        <source>Compare the series</source>
        <translation>계열 비교</translation>
    </message>
    <message>
        <source>
Replicas exchange for %1 of device %2&apos;s passes (%3).</source>
        <translation>
복제본의 교환이 장치 %2의 패스 중 %1을(를) 차지합니다(%3).</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>Every replica holds all and sums all gradients</source>
        <translation>모든 복제본이 전부를 갖고 모든 기울기를 합산합니다</translation>
    </message>
    <message>
        <source>ZeRO-1: optimizer state</source>
        <translation>ZeRO-1: 옵티마이저 상태</translation>
    </message>
    <message>
        <source>As fast, and smaller: each replica updates its share</source>
        <translation>속도는 같고 메모리는 적음: 각 복제본이 자기 몫을 갱신합니다</translation>
    </message>
    <message>
        <source>ZeRO-2: gradients too</source>
        <translation>ZeRO-2: 기울기도</translation>
    </message>
    <message>
        <source>From their reduction on; less at the peak only if every backward reduces</source>
        <translation>축약 이후부터; 역전파마다 축약할 때만 최대 메모리가 줄어듭니다</translation>
    </message>
    <message>
        <source>ZeRO-3: parameters too</source>
        <translation>ZeRO-3: 파라미터도</translation>
    </message>
    <message>
        <source>Between steps; less at the peak only if every pass gathers</source>
        <translation>스텝 사이에만; 패스마다 모을 때만 최대 메모리가 줄어듭니다</translation>
    </message>
    <message>
        <source>Gradients are reduced</source>
        <translation>기울기 축약</translation>
    </message>
    <message>
        <source>With --zero 2: deferred reduces gradients once, at the end of the step; eager after every backward.</source>
        <translation>--zero 2에서: deferred는 스텝 끝에 기울기를 한 번 축약하고, eager는 역전파마다 축약합니다.</translation>
    </message>
    <message>
        <source>Once</source>
        <translation>한 번</translation>
    </message>
    <message>
        <source>At the end of the step; until then every replica holds all gradients</source>
        <translation>스텝 끝에; 그때까지 모든 복제본이 전체 기울기를 갖습니다</translation>
    </message>
    <message>
        <source>Every backward</source>
        <translation>역전파마다</translation>
    </message>
    <message>
        <source>Less memory, m times the traffic; only predicted</source>
        <translation>메모리는 적고 통신량은 m배; 예측만 가능</translation>
    </message>
    <message>
        <source>Parameters are gathered</source>
        <translation>파라미터 수집</translation>
    </message>
    <message>
        <source>With --zero 3: resident gathers parameters once a step; reshard for every pass; keep-until-backward for every microbatch.</source>
        <translation>--zero 3에서: resident는 스텝마다 한 번, reshard는 패스마다, keep-until-backward는 마이크로배치마다 파라미터를 모읍니다.</translation>
    </message>
    <message>
        <source>At the begin of the step; they stay whole until its end</source>
        <translation>스텝 시작에; 끝날 때까지 전체를 유지합니다</translation>
    </message>
    <message>
        <source>Every pass</source>
        <translation>패스마다</translation>
    </message>
    <message>
        <source>Least memory; a microbatch gathers twice and reduces once; only predicted</source>
        <translation>메모리가 가장 적음; 마이크로배치마다 두 번 모으고 한 번 축약; 예측만 가능</translation>
    </message>
    <message>
        <source>Every microbatch</source>
        <translation>마이크로배치마다</translation>
    </message>
    <message>
        <source>Every layer waits for the exchange of the replicas: %1 of the step.</source>
        <translation>모든 레이어가 복제본 간 교환을 기다립니다: 스텝의 %1.</translation>
    </message>
    <message>
        <source>At its peak a rank holds as much as with ZeRO-1; ZeRO-%1 saves memory beside the peak.</source>
        <translation>최대일 때 랭크의 메모리는 ZeRO-1과 같습니다. ZeRO-%1은 최대가 아닌 때에만 메모리를 줄입니다.</translation>
    </message>
    <message>
        <source>&amp;Levers…</source>
        <translation>레버(&amp;L)…</translation>
    </message>
    <message>
        <source>What recomputation, schedules and other changes save and cost</source>
        <translation>재계산, 스케줄, 그 밖의 변경이 무엇을 절약하고 얼마나 드는지</translation>
    </message>
    <message>
        <source>levers: what each change of the plan saves and costs</source>
        <translation>레버: 계획의 각 변경이 절약하는 것과 비용</translation>
    </message>
    <message>
        <source>Only the Pareto front</source>
        <translation>파레토 프런트만</translation>
    </message>
    <message>
        <source>Levers</source>
        <translation>레버</translation>
    </message>
    <message>
        <source>Lever</source>
        <translation>레버</translation>
    </message>
    <message>
        <source>Fullest device</source>
        <translation>가장 많이 찬 장치</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>변화</translation>
    </message>
    <message>
        <source>Numbers</source>
        <translation>수치</translation>
    </message>
    <message>
        <source>Rows that no other beats in memory, time and numbers together</source>
        <translation>메모리, 시간, 수치를 모두 고려할 때 더 나은 행이 없는 행</translation>
    </message>
    <message>
        <source>Predictions</source>
        <translation>예측</translation>
    </message>
    <message>
        <source>Apply to the plan</source>
        <translation>계획에 적용</translation>
    </message>
    <message>
        <source>Cancelled. A change of the plan starts it again.</source>
        <translation>취소되었습니다. 계획을 변경하면 다시 시작합니다.</translation>
    </message>
    <message>
        <source>There are no levers. </source>
        <translation>레버가 없습니다. </translation>
    </message>
    <message>
        <source>Combinations</source>
        <translation>조합</translation>
    </message>
    <message>
        <source>Not possible</source>
        <translation>불가능</translation>
    </message>
    <message>
        <source>nothing is better</source>
        <translation>더 나은 것이 없음</translation>
    </message>
    <message>
        <source>Does not fit into %1</source>
        <translation>%1에 들어가지 않음</translation>
    </message>
    <message>
        <source>%1, %2 % active</source>
        <translation>%1, 활성 %2 %</translation>
    </message>
    <message>
        <source>Forward computed again: %1 (%2 %)</source>
        <translation>다시 계산하는 순전파: %1 (%2 %)</translation>
    </message>
    <message>
        <source>again</source>
        <translation>재계산</translation>
    </message>
    <message>
        <source>forward computed again</source>
        <translation>다시 계산하는 순전파</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>전문가</translation>
    </message>
    <message>
        <source>Experts of each layer of a llama, of which a router chooses some for each token (0: one MLP for all).</source>
        <translation>llama 각 레이어의 전문가 수. 라우터가 토큰마다 그중 몇 개를 고릅니다(0: 모두 하나의 MLP).</translation>
    </message>
    <message>
        <source>Experts of a token</source>
        <translation>토큰당 전문가</translation>
    </message>
    <message>
        <source>Experts that compute each token; 1 is Switch&apos;s rule.</source>
        <translation>각 토큰을 계산하는 전문가 수. 1은 Switch의 규칙입니다.</translation>
    </message>
    <message>
        <source>Expert width</source>
        <translation>전문가 폭</translation>
    </message>
    <message>
        <source>Inner width of an expert (default: that of the MLP).</source>
        <translation>전문가의 내부 폭(기본값: MLP와 같음).</translation>
    </message>
    <message>
        <source>inner width</source>
        <translation>내부 폭</translation>
    </message>
    <message>
        <source>Balance loss</source>
        <translation>균형 손실</translation>
    </message>
    <message>
        <source>Coefficient of the loss that keeps the tokens of the experts of a microbatch equal (0: off).</source>
        <translation>마이크로배치 안에서 전문가들의 토큰 수를 고르게 하는 손실의 계수(0: 끔).</translation>
    </message>
    <message>
        <source>Router z-loss</source>
        <translation>라우터 z 손실</translation>
    </message>
    <message>
        <source>Coefficient of the loss that keeps the router&apos;s logits small (0: off).</source>
        <translation>라우터의 로짓을 작게 유지하는 손실의 계수(0: 끔).</translation>
    </message>
    <message>
        <source>small mixture of 8 experts for a laptop, 2 of which compute a token</source>
        <translation>노트북용 소형 전문가 혼합 모델: 전문가 8개 중 2개가 토큰을 계산</translation>
    </message>
    <message>
        <source>Mixtral 8x7B, 8 experts of which 2 compute a token</source>
        <translation>Mixtral 8x7B: 전문가 8개 중 2개가 토큰을 계산</translation>
    </message>
    <message>
        <source>Qwen3 30B-A3B, 128 experts of which 8 compute a token, without its norms of queries and keys</source>
        <translation>Qwen3 30B-A3B: 전문가 128개 중 8개가 토큰을 계산. 쿼리와 키의 정규화는 없음</translation>
    </message>
    <message>
        <source>Sequence slices</source>
        <translation>시퀀스 조각</translation>
    </message>
    <message>
        <source>Slices of each sequence (seq1f1b families; 2).</source>
        <translation>각 시퀀스의 조각 수(seq1f1b 계열; 2).</translation>
    </message>
    <message>
        <source>Slices of equal</source>
        <translation>조각 등분 기준</translation>
    </message>
    <message>
        <source>Where sequences are cut: slices of equal work, or of equal length.</source>
        <translation>시퀀스를 자르는 위치: 조각의 작업량을 같게 하거나 길이를 같게 합니다.</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>작업량</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>길이</translation>
    </message>
    <message>
        <source>Later slices are shorter, for their attention reads more keys</source>
        <translation>뒤쪽 조각이 더 짧습니다. 어텐션이 더 많은 키를 읽기 때문입니다</translation>
    </message>
    <message>
        <source>Later slices take longer</source>
        <translation>뒤쪽 조각이 더 오래 걸립니다</translation>
    </message>
    <message>
        <source>Which activations are computed again in the backward instead of being kept: none, selective or full; or how many of the first layers of each stage are computed again: a number, or one for each stage, such as 3/1/0/0.</source>
        <translation>어떤 활성값을 보관하지 않고 역전파에서 다시 계산할지: none, selective 또는 full. 또는 각 스테이지의 처음 몇 개 레이어를 다시 계산할지: 수 하나, 또는 3/1/0/0처럼 스테이지마다 하나.</translation>
    </message>
    <message>
        <source>Recomputed layers</source>
        <translation>재계산 레이어</translation>
    </message>
    <message>
        <source>How many of the first layers of each stage are computed again in the backward: a number for every stage, or one for each.</source>
        <translation>각 스테이지의 처음 몇 개 레이어를 역전파에서 다시 계산할지: 모든 스테이지에 수 하나, 또는 스테이지마다 하나.</translation>
    </message>
    <message>
        <source>Recomputed operators</source>
        <translation>재계산 연산자</translation>
    </message>
    <message>
        <source>Operators of a layer whose outputs are computed again in the backward: norms, activation, attention, with commas.</source>
        <translation>출력을 역전파에서 다시 계산하는 레이어의 연산자: norms, activation, attention, 쉼표로 구분.</translation>
    </message>
    <message>
        <source>Norms</source>
        <translation>정규화</translation>
    </message>
    <message>
        <source>Activation function</source>
        <translation>활성화 함수</translation>
    </message>
    <message>
        <source>Norms and activation</source>
        <translation>정규화와 활성화 함수</translation>
    </message>
    <message>
        <source>About 40 % of the activations for 1 to 2 % of the time</source>
        <translation>시간 1~2 %를 들여 활성값의 약 40 % 절약</translation>
    </message>
    <message>
        <source>Norms and attention</source>
        <translation>정규화와 어텐션</translation>
    </message>
    <message>
        <source>Activation and attention</source>
        <translation>활성화 함수와 어텐션</translation>
    </message>
    <message>
        <source>All three</source>
        <translation>세 가지 모두</translation>
    </message>
    <message>
        <source>several chunks a device, half the warm-up and a split backward in place; small groups save memory</source>
        <translation>장치마다 여러 청크, 절반의 워밍업, 제자리에서 나눈 역전파; 작은 묶음은 메모리를 절약</translation>
    </message>
    <message>
        <source>recomputation of 1 layer</source>
        <translation>레이어 1개 재계산</translation>
    </message>
    <message>
        <source>recomputation of %1 layers</source>
        <translation>레이어 %1개 재계산</translation>
    </message>
    <message>
        <source>All layers</source>
        <translation>모든 레이어</translation>
    </message>
    <message>
        <source>1 of each stage</source>
        <translation>스테이지마다 1개</translation>
    </message>
    <message>
        <source>%1 of each stage</source>
        <translation>스테이지마다 %1개</translation>
    </message>
    <message>
        <source>%1, with %2 microbatches</source>
        <translation>%1, 마이크로배치 %2개</translation>
    </message>
    <message>
        <source>On</source>
        <translation>켜짐</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>꺼짐</translation>
    </message>
    <message>
        <source>Same bits</source>
        <translation>같은 비트</translation>
    </message>
    <message>
        <source>Predicted: the plan takes %1 and needs %2 on its fullest device</source>
        <translation>예측: 이 계획은 %1 걸리며 가장 많이 찬 장치에 %2이(가) 필요합니다</translation>
    </message>
    <message>
        <source>, which has %1.</source>
        <translation> (용량 %1).</translation>
    </message>
    <message>
        <source>Slices: a pass has a part of each sequence</source>
        <translation>조각: 패스 하나가 각 시퀀스의 일부를 처리</translation>
    </message>
    <message>
        <source>
The sum of the gradients takes %1 of the iteration; the rest of it is hidden.</source>
        <translation>
기울기 합산이 반복의 %1을(를) 차지합니다. 나머지는 숨겨집니다.</translation>
    </message>
    <message>
        <source>
Context ranks exchange for %1 of device %2&apos;s passes (%3).</source>
        <translation>
컨텍스트 랭크의 교환이 장치 %2의 패스 중 %1을(를) 차지합니다(%3).</translation>
    </message>
    <message>
        <source>
Expert ranks exchange for %1 of device %2&apos;s passes (%3).</source>
        <translation>
전문가 랭크의 교환이 장치 %2의 패스 중 %1을(를) 차지합니다(%3).</translation>
    </message>
    <message>
        <source>Context ranks</source>
        <translation>컨텍스트 랭크</translation>
    </message>
    <message>
        <source>Ranks that share each sequence: each has the tokens of two chunks of it.</source>
        <translation>각 시퀀스를 나누는 랭크: 각각 시퀀스의 청크 두 개의 토큰을 가집니다.</translation>
    </message>
    <message>
        <source>Keys of other ranks</source>
        <translation>다른 랭크의 키</translation>
    </message>
    <message>
        <source>All-gather</source>
        <translation>All-gather</translation>
    </message>
    <message>
        <source>Each rank gathers the keys and values of the whole sequence</source>
        <translation>각 랭크가 전체 시퀀스의 키와 값을 모읍니다</translation>
    </message>
    <message>
        <source>Ring</source>
        <translation>링</translation>
    </message>
    <message>
        <source>Keys and values travel around the ranks while attention works on the last ones</source>
        <translation>키와 값이 랭크를 도는 동안 어텐션은 앞서 받은 것을 계산합니다</translation>
    </message>
    <message>
        <source>Ulysses</source>
        <translation>Ulysses</translation>
    </message>
    <message>
        <source>Ranks exchange tokens for heads before and after attention</source>
        <translation>어텐션 앞뒤로 랭크들이 토큰과 헤드를 교환합니다</translation>
    </message>
    <message>
        <source>Every layer waits for context communication: %1 of the step.</source>
        <translation>모든 레이어가 컨텍스트 통신을 기다립니다: 스텝의 %1.</translation>
    </message>
    <message>
        <source> × %1 context</source>
        <translation> × 컨텍스트 %1</translation>
    </message>
    <message>
        <source>The schedule cannot be repaired here. </source>
        <translation>여기서는 스케줄을 고칠 수 없습니다. </translation>
    </message>
    <message>
        <source>Repair the schedule</source>
        <translation>스케줄 고치기</translation>
    </message>
    <message>
        <source>Train a copy…</source>
        <translation>사본 학습…</translation>
    </message>
    <message>
        <source>Slides…</source>
        <translation>슬라이드…</translation>
    </message>
    <message>
        <source>Every step as a page of a PDF: its picture, and its text in large type</source>
        <translation>단계마다 PDF 한 쪽: 그림과 큰 글자의 설명</translation>
    </message>
    <message>
        <source>Export slides</source>
        <translation>슬라이드 내보내기</translation>
    </message>
    <message>
        <source>&amp;Mark the least memory, slower by at most</source>
        <translation>메모리가 가장 적은 것 표시(&amp;M), 느려지는 한도</translation>
    </message>
    <message>
        <source>Which of the plans that do the same work is marked in both plots; unticked, the fastest is</source>
        <translation>같은 작업을 하는 계획 중 두 그림에 표시할 것; 선택하지 않으면 가장 빠른 것</translation>
    </message>
    <message>
        <source>Compare the five vocabulary methods</source>
        <translation>다섯 가지 어휘 방법 비교</translation>
    </message>
    <message>
        <source>This plan with each of the methods, side by side</source>
        <translation>이 계획을 각 방법으로 나란히 보기</translation>
    </message>
    <message>
        <source>Stagelens connects to the other machine.</source>
        <translation>Stagelens가 다른 컴퓨터에 연결하고 있습니다.</translation>
    </message>
    <message>
        <source>The other machine cannot train with %1.</source>
        <translation>다른 컴퓨터는 %1(으)로 학습할 수 없습니다.</translation>
    </message>
    <message>
        <source>On %1, through ssh</source>
        <translation>%1에서, ssh로</translation>
    </message>
    <message>
        <source>S&amp;hapes that fit…</source>
        <translation>적합한 형태(&amp;H)…</translation>
    </message>
    <message>
        <source>Which division of the GPUs into pipeline, tensor, context and data ranks is best</source>
        <translation>GPU를 파이프라인, 텐서, 컨텍스트, 데이터 랭크로 어떻게 나누는 것이 가장 좋은지</translation>
    </message>
    <message>
        <source>T&amp;opology</source>
        <translation>토폴로지(&amp;O)</translation>
    </message>
    <message>
        <source>Which ranks share a node, and which links their groups use</source>
        <translation>어떤 랭크가 한 노드에 있고 그 그룹이 어떤 링크를 쓰는지</translation>
    </message>
    <message>
        <source>topology: the nodes with their ranks</source>
        <translation>토폴로지: 노드와 그 랭크</translation>
    </message>
    <message>
        <source>shapes that fit: how to divide the GPUs</source>
        <translation>적합한 형태: GPU를 나누는 방법</translation>
    </message>
    <message>
        <source>Pipeline x tensor x data, or pipeline x tensor x context x data, separated by spaces; the sequences of a step stay as they are</source>
        <translation>파이프라인 x 텐서 x 데이터, 또는 파이프라인 x 텐서 x 컨텍스트 x 데이터를 공백으로 구분합니다. 한 스텝의 시퀀스 수는 그대로입니다</translation>
    </message>
    <message>
        <source>Only what fits</source>
        <translation>들어가는 것만</translation>
    </message>
    <message>
        <source>Shapes that fit</source>
        <translation>적합한 형태</translation>
    </message>
    <message>
        <source>Shape: </source>
        <translation>형태: </translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU 수</translation>
    </message>
    <message>
        <source>Sequences of a step</source>
        <translation>한 스텝의 시퀀스</translation>
    </message>
    <message>
        <source>Tokens to train on</source>
        <translation>학습할 토큰</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>검색</translation>
    </message>
    <message>
        <source>Pipeline</source>
        <translation>파이프라인</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>텐서</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>컨텍스트</translation>
    </message>
    <message>
        <source>Use this plan</source>
        <translation>이 계획 사용</translation>
    </message>
    <message>
        <source>Two to six rows on one time axis; Ctrl and Shift select several</source>
        <translation>두 개에서 여섯 개 행을 한 시간 축에 표시합니다. Ctrl과 Shift로 여러 개를 선택합니다</translation>
    </message>
    <message>
        <source>Shapes need a model and hardware: choose them in the strip above the picture.</source>
        <translation>형태에는 모델과 하드웨어가 필요합니다. 그림 위의 계획 띠에서 고르십시오.</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>검색 중…</translation>
    </message>
    <message>
        <source>Cancelled. Search starts it again.</source>
        <translation>취소했습니다. 검색을 누르면 다시 시작합니다.</translation>
    </message>
    <message>
        <source>, at most %1 a rank</source>
        <translation>, 랭크당 최대 %1</translation>
    </message>
    <message>
        <source>%1 plans fit.</source>
        <translation>계획 %1개가 들어갑니다.</translation>
    </message>
    <message>
        <source>nothing fits. The rows say what each shape needs.</source>
        <translation>들어가는 것이 없습니다. 각 행에 형태마다 필요한 양이 있습니다.</translation>
    </message>
    <message>
        <source>any</source>
        <translation>모두</translation>
    </message>
    <message>
        <source>Searching… The fastest plan so far takes %1.</source>
        <translation>검색 중… 지금까지 가장 빠른 계획은 %1 걸립니다.</translation>
    </message>
    <message>
        <source>Exchanges</source>
        <translation>교환</translation>
    </message>
    <message>
        <source>Headroom</source>
        <translation>여유</translation>
    </message>
    <message>
        <source>Days</source>
        <translation>일수</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>비용</translation>
    </message>
    <message>
        <source>Remark</source>
        <translation>비고</translation>
    </message>
    <message>
        <source>Devices of the pipeline: each has some of the layers</source>
        <translation>파이프라인의 장치: 각각 일부 레이어를 가집니다</translation>
    </message>
    <message>
        <source>Ranks that share each layer</source>
        <translation>각 레이어를 나누는 랭크</translation>
    </message>
    <message>
        <source>Ranks that share each sequence</source>
        <translation>각 시퀀스를 나누는 랭크</translation>
    </message>
    <message>
        <source>Copies of the model, each with its own sequences</source>
        <translation>모델의 사본으로, 각각 자신의 시퀀스를 처리합니다</translation>
    </message>
    <message>
        <source>Microbatches of a replica × sequences of a microbatch</source>
        <translation>복제본의 마이크로배치 수 × 마이크로배치의 시퀀스 수</translation>
    </message>
    <message>
        <source>The part of the devices&apos; time without a pass</source>
        <translation>장치 시간 중 패스가 없는 비율</translation>
    </message>
    <message>
        <source>The part of the iteration in which a rank waits for tensor, context or data exchanges</source>
        <translation>반복 중 랭크가 텐서, 컨텍스트, 데이터 교환을 기다리는 비율</translation>
    </message>
    <message>
        <source>Peak of the fullest rank</source>
        <translation>가장 많이 찬 랭크의 최대 메모리</translation>
    </message>
    <message>
        <source>A dot: no other plan that fits is both faster and smaller (Pareto front)</source>
        <translation>점: 들어가는 다른 계획 중 더 빠르면서 더 작은 것이 없음(파레토 프런트)</translation>
    </message>
    <message>
        <source>%1 GPU-hours</source>
        <translation>%1 GPU 시간</translation>
    </message>
    <message>
        <source>Topology</source>
        <translation>토폴로지</translation>
    </message>
    <message>
        <source>One rank, or costs without hardware: there is no cluster to show.</source>
        <translation>랭크가 하나이거나 비용에 하드웨어가 없습니다. 표시할 클러스터가 없습니다.</translation>
    </message>
    <message>
        <source>Point at a rank, or press an arrow key, to see its groups.</source>
        <translation>랭크를 가리키거나 화살표 키를 누르면 그 그룹이 보입니다.</translation>
    </message>
    <message>
        <source>%1 ranks on %2 nodes of %3</source>
        <translation>랭크 %1개, 노드 %2개(각 %3개)</translation>
    </message>
    <message>
        <source>and %1 more nodes</source>
        <translation>외 노드 %1개</translation>
    </message>
    <message>
        <source>tensor ranks for %1</source>
        <translation>텐서 랭크와 %1</translation>
    </message>
    <message>
        <source>context ranks for %1</source>
        <translation>컨텍스트 랭크와 %1</translation>
    </message>
    <message>
        <source>replicas for %1</source>
        <translation>복제본과 %1</translation>
    </message>
    <message>
        <source> That pass spends part of its time in exchanges: with %1.</source>
        <translation> 그 패스는 시간의 일부를 교환에 씁니다: %1.</translation>
    </message>
    <message>
        <source>, with </source>
        <translation>, </translation>
    </message>
    <message>
        <source> Its replicas sum their gradients for %1 (data).</source>
        <translation> 복제본이 %1 동안 기울기를 합산합니다(데이터).</translation>
    </message>
    <message>
        <source> Its replicas gather the updated parameters for %1 (data).</source>
        <translation> 복제본이 %1 동안 갱신된 파라미터를 모읍니다(데이터).</translation>
    </message>
    <message>
        <source> Its tensor ranks sum the gradients of what all of them hold for %1 (tensor).</source>
        <translation> 텐서 랭크가 모두 가진 부분의 기울기를 %1 동안 합산합니다(텐서).</translation>
    </message>
    <message>
        <source> along the pipeline</source>
        <translation> (파이프라인을 따라)</translation>
    </message>
    <message>
        <source>connecting to %1</source>
        <translation>%1에 연결 중</translation>
    </message>
    <message>
        <source>“%1” is no shape; write pipeline x tensor x data such as 8x4x2.</source>
        <translation>“%1”은(는) 형태가 아닙니다. 8x4x2처럼 파이프라인 x 텐서 x 데이터로 쓰십시오.</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>형태</translation>
    </message>
    <message>
        <source>Copy Stagelens there if it is missing</source>
        <translation>Stagelens가 없으면 복사</translation>
    </message>
    <message>
        <source>Predict for its processor</source>
        <translation>그 프로세서로 예측</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>위치</translation>
    </message>
    <message>
        <source>Another machine</source>
        <translation>다른 컴퓨터</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>컴퓨터</translation>
    </message>
    <message>
        <source>user@host</source>
        <translation>user@host</translation>
    </message>
    <message>
        <source>Reached through ssh, with your keys and configuration. It must connect without a question.</source>
        <translation>사용자의 키와 설정으로 ssh를 통해 연결합니다. 질문 없이 연결되어야 합니다.</translation>
    </message>
    <message>
        <source>Connecting...</source>
        <translation>연결 중...</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Train on another machine</source>
        <translation>다른 컴퓨터에서 학습</translation>
    </message>
    <message>
        <source> · each lane stands for %1 equal ranks</source>
        <translation> · 각 레인은 같은 랭크 %1개를 나타냅니다</translation>
    </message>
    <message>
        <source>× %1 ranks</source>
        <translation>× 랭크 %1개</translation>
    </message>
    <message>
        <source>How context ranks reach the keys and values of others.</source>
        <translation>컨텍스트 랭크가 다른 랭크의 키와 값을 얻는 방법입니다.</translation>
    </message>
    <message>
        <source>Expert ranks</source>
        <translation>전문가 랭크</translation>
    </message>
    <message>
        <source>Expert headroom</source>
        <translation>전문가 여유</translation>
    </message>
    <message>
        <source>With expert ranks: rows of tokens that a rank has memory for, as a multiple of those of balanced experts.</source>
        <translation>전문가 랭크가 있을 때: 한 랭크의 메모리에 담을 수 있는 토큰 행 수로, 전문가가 균형일 때의 행 수에 대한 배수입니다.</translation>
    </message>
    <message>
        <source>Skew of experts</source>
        <translation>전문가 편중</translation>
    </message>
    <message>
        <source>With expert ranks: the i-th most popular expert of a layer gets a share of i^-Z of the tokens (0: equal shares).</source>
        <translation>전문가 랭크가 있을 때: 레이어에서 i번째로 인기 있는 전문가가 i^-Z에 비례하는 토큰을 받습니다(0: 균등).</translation>
    </message>
    <message>
        <source>%1 with %2 replicas, %3</source>
        <translation>%1, 복제본 %2개, %3</translation>
    </message>
    <message>
        <source>%1 tensor</source>
        <translation>텐서 %1</translation>
    </message>
    <message>
        <source>%1 context</source>
        <translation>컨텍스트 %1</translation>
    </message>
    <message>
        <source>%1 replicas</source>
        <translation>복제본 %1</translation>
    </message>
    <message>
        <source>1 device</source>
        <translation>장치 1개</translation>
    </message>
    <message>
        <source>tensor %1</source>
        <translation>텐서 %1</translation>
    </message>
    <message>
        <source>context %1</source>
        <translation>컨텍스트 %1</translation>
    </message>
    <message>
        <source>data %1</source>
        <translation>데이터 %1</translation>
    </message>
    <message>
        <source>ZeRO-%1 in every pass</source>
        <translation>패스마다 ZeRO-%1</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>들어가지 않음</translation>
    </message>
    <message>
        <source>needs %1 of %2</source>
        <translation>%2 중 %1 필요</translation>
    </message>
    <message>
        <source>needs at least %1 of %2</source>
        <translation>%2 중 최소 %1 필요</translation>
    </message>
    <message>
        <source>%1 plans predicted, %2 ruled out by their bounds of time and memory.</source>
        <translation>계획 %1개를 예측했고, %2개는 시간과 메모리의 한계로 제외했습니다.</translation>
    </message>
    <message>
        <source>Left out: %1 with %2.</source>
        <translation>제외: %1개, %2.</translation>
    </message>
    <message>
        <source>ranks %1 to %2</source>
        <translation>랭크 %1~%2</translation>
    </message>
    <message>
        <source>ranks %1</source>
        <translation>랭크 %1</translation>
    </message>
    <message>
        <source>It shares each layer with %1, %2.</source>
        <translation>%1과(와) 각 레이어를 나눕니다(%2).</translation>
    </message>
    <message>
        <source>It shares each sequence with %1, %2.</source>
        <translation>%1과(와) 각 시퀀스를 나눕니다(%2).</translation>
    </message>
    <message>
        <source>It sums its gradients with %1, %2.</source>
        <translation>%1과(와) 기울기를 합산합니다(%2).</translation>
    </message>
    <message>
        <source>It passes activations and gradients along the pipeline of %1, %2.</source>
        <translation>%1의 파이프라인을 따라 활성값과 기울기를 전달합니다(%2).</translation>
    </message>
    <message>
        <source>inside a node</source>
        <translation>한 노드 안</translation>
    </message>
    <message>
        <source>across %1 nodes, %2 ranks in each</source>
        <translation>노드 %1개에 걸침, 노드마다 랭크 %2개</translation>
    </message>
    <message>
        <source>across %1 nodes</source>
        <translation>노드 %1개에 걸침</translation>
    </message>
    <message>
        <source>, %1 GB/s</source>
        <translation>, %1 GB/s</translation>
    </message>
    <message>
        <source>; a rank sends %1 a step</source>
        <translation>; 랭크가 한 스텝에 %1 전송</translation>
    </message>
    <message>
        <source>; a rank sends %1 messages a step</source>
        <translation>; 랭크가 한 스텝에 메시지 %1개 전송</translation>
    </message>
    <message>
        <source>, waits %1 of it</source>
        <translation>, 그중 %1 대기</translation>
    </message>
    <message>
        <source>Rank %1 on node %2: %3.</source>
        <translation>노드 %2의 랭크 %1: %3.</translation>
    </message>
    <message>
        <source>over the network</source>
        <translation>네트워크를 통해</translation>
    </message>
    <message>
        <source>inside the node</source>
        <translation>노드 안에서</translation>
    </message>
    <message>
        <source>%1 ranks on one node</source>
        <translation>랭크 %1개, 노드 한 개</translation>
    </message>
    <message>
        <source>L&amp;ecture…</source>
        <translation>강의(&amp;E)…</translation>
    </message>
    <message>
        <source>Scenes with notes in a file: present them, or export them as slides</source>
        <translation>메모가 있는 장면을 파일에 모아 발표하거나 슬라이드로 내보냅니다</translation>
    </message>
    <message>
        <source>lecture: scenes with notes, to be presented</source>
        <translation>강의: 발표할 장면과 메모</translation>
    </message>
    <message>
        <source>Challenge</source>
        <translation>도전</translation>
    </message>
    <message>
        <source>Scenes, tours, challenges and examples</source>
        <translation>장면, 둘러보기, 도전, 예제</translation>
    </message>
    <message>
        <source>&amp;Hint</source>
        <translation>힌트(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Solution</source>
        <translation>풀이(&amp;S)</translation>
    </message>
    <message>
        <source>Says where to look</source>
        <translation>어디를 볼지 알려 줍니다</translation>
    </message>
    <message>
        <source>Makes the change that meets every goal; Reset takes it back</source>
        <translation>모든 목표를 이루는 변경을 적용합니다. 초기화하면 되돌립니다</translation>
    </message>
    <message>
        <source>Met: </source>
        <translation>달성: </translation>
    </message>
    <message>
        <source>Not met yet: </source>
        <translation>아직 미달성: </translation>
    </message>
    <message>
        <source>%1 of %2 goals are met</source>
        <translation>목표 %2개 중 %1개 달성</translation>
    </message>
    <message>
        <source>This is a solution</source>
        <translation>이것이 풀이입니다</translation>
    </message>
    <message>
        <source>Solved</source>
        <translation>해결했습니다</translation>
    </message>
    <message>
        <source>Challenges</source>
        <translation>도전</translation>
    </message>
    <message>
        <source>Lecture</source>
        <translation>강의</translation>
    </message>
    <message>
        <source>Lectures</source>
        <translation>강의</translation>
    </message>
    <message>
        <source>Show a plan in the window, then add it here as a scene.</source>
        <translation>창에 계획을 표시한 다음 여기에 장면으로 추가하십시오.</translation>
    </message>
    <message>
        <source>Title of the lecture</source>
        <translation>강의 제목</translation>
    </message>
    <message>
        <source>Scenes in order</source>
        <translation>순서대로 놓인 장면</translation>
    </message>
    <message>
        <source>&amp;Add this plan</source>
        <translation>이 계획 추가(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Up</source>
        <translation>위로(&amp;U)</translation>
    </message>
    <message>
        <source>Shows the scene earlier</source>
        <translation>장면을 더 앞에 보여 줍니다</translation>
    </message>
    <message>
        <source>&amp;Down</source>
        <translation>아래로(&amp;D)</translation>
    </message>
    <message>
        <source>Shows the scene later</source>
        <translation>장면을 더 뒤에 보여 줍니다</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>제거(&amp;R)</translation>
    </message>
    <message>
        <source>Removes the scene from the lecture</source>
        <translation>강의에서 장면을 제거합니다</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>메모</translation>
    </message>
    <message>
        <source>Notes beside the picture, as Markdown. {bubble}, {iteration} and {peak} are filled with the plan&apos;s figures.</source>
        <translation>그림 옆의 메모(Markdown). {bubble}, {iteration}, {peak}에는 계획의 수치가 들어갑니다.</translation>
    </message>
    <message>
        <source>Another lecture in the place of this one</source>
        <translation>이 강의 대신 다른 강의를 엽니다</translation>
    </message>
    <message>
        <source>&amp;Save as…</source>
        <translation>다른 이름으로 저장(&amp;S)…</translation>
    </message>
    <message>
        <source>From then on every change is written to the file</source>
        <translation>그 뒤로 모든 변경이 파일에 기록됩니다</translation>
    </message>
    <message>
        <source>S&amp;lides…</source>
        <translation>슬라이드(&amp;L)…</translation>
    </message>
    <message>
        <source>Every scene as a page of a PDF</source>
        <translation>장면마다 PDF 한 쪽</translation>
    </message>
    <message>
        <source>&amp;Present</source>
        <translation>발표(&amp;P)</translation>
    </message>
    <message>
        <source>Not saved yet: choose a file with Save as.</source>
        <translation>아직 저장되지 않았습니다. 다른 이름으로 저장에서 파일을 선택하십시오.</translation>
    </message>
    <message>
        <source>The lecture was not saved. </source>
        <translation>강의가 저장되지 않았습니다. </translation>
    </message>
    <message>
        <source>Saved in %1.</source>
        <translation>%1에 저장했습니다.</translation>
    </message>
    <message>
        <source>Opened %1. Every change is written to it.</source>
        <translation>%1을(를) 열었습니다. 모든 변경이 파일에 기록됩니다.</translation>
    </message>
    <message>
        <source>Open a lecture</source>
        <translation>강의 열기</translation>
    </message>
    <message>
        <source>Save the lecture</source>
        <translation>강의 저장</translation>
    </message>
    <message>
        <source>The slides are in %1.</source>
        <translation>슬라이드를 %1에 저장했습니다.</translation>
    </message>
    <message>
        <source>Solution</source>
        <translation>풀이</translation>
    </message>
    <message>
        <source>Also as MP4, through ffmpeg</source>
        <translation>ffmpeg로 MP4도 만들 수 있습니다</translation>
    </message>
    <message>
        <source>For MP4 install ffmpeg</source>
        <translation>MP4로 만들려면 ffmpeg를 설치하십시오</translation>
    </message>
    <message>
        <source>GIF animation (*.gif)</source>
        <translation>GIF 애니메이션 (*.gif)</translation>
    </message>
    <message>
        <source>MP4 video (*.mp4)</source>
        <translation>MP4 동영상 (*.mp4)</translation>
    </message>
    <message>
        <source>Selected</source>
        <translation>선택한 장치</translation>
    </message>
    <message>
        <source>copies</source>
        <translation>복사</translation>
    </message>
    <message>
        <source>copies to the host and back</source>
        <translation>호스트로의 복사와 되가져오기</translation>
    </message>
    <message>
        <source>is %1</source>
        <translation>값이 %1입니다</translation>
    </message>
    <message>
        <source>is %1, but %2</source>
        <translation>값이 %1이지만 %2</translation>
    </message>
    <message>
        <source>choose %1</source>
        <translation>%1을(를) 선택하십시오</translation>
    </message>
    <message>
        <source>choose %1 or more</source>
        <translation>%1 이상을 선택하십시오</translation>
    </message>
    <message>
        <source>choose %1 to %2</source>
        <translation>%1~%2에서 선택하십시오</translation>
    </message>
    <message>
        <source>choose %1 to %2 ms</source>
        <translation>%1~%2 ms에서 선택하십시오</translation>
    </message>
    <message>
        <source>choose %1 to %2, such as %3</source>
        <translation>%1~%2에서 선택하십시오(예: %3)</translation>
    </message>
    <message>
        <source>choose at most %1</source>
        <translation>%1 이하를 선택하십시오</translation>
    </message>
    <message>
        <source>choose less than %1</source>
        <translation>%1보다 작은 값을 선택하십시오</translation>
    </message>
    <message>
        <source>choose less</source>
        <translation>더 작은 값을 선택하십시오</translation>
    </message>
    <message>
        <source>choose 0 to less than 1</source>
        <translation>0 이상 1 미만을 선택하십시오</translation>
    </message>
    <message>
        <source>choose more than 0, or null for none</source>
        <translation>0보다 큰 값, 또는 없으면 null을 선택하십시오</translation>
    </message>
    <message>
        <source>choose more than low_freq_factor, which is %1</source>
        <translation>low_freq_factor(%1)보다 큰 값을 선택하십시오</translation>
    </message>
    <message>
        <source>choose a divisor of %1</source>
        <translation>%1의 약수를 선택하십시오</translation>
    </message>
    <message>
        <source>choose another one</source>
        <translation>다른 값을 선택하십시오</translation>
    </message>
    <message>
        <source>choose another number of heads</source>
        <translation>다른 헤드 수를 선택하십시오</translation>
    </message>
    <message>
        <source>choose cpu or cuda</source>
        <translation>cpu 또는 cuda를 선택하십시오</translation>
    </message>
    <message>
        <source>choose family llama, or 0 experts</source>
        <translation>llama 계열 또는 전문가 0개를 선택하십시오</translation>
    </message>
    <message>
        <source>choose 0, or ZeRO 1 to 3</source>
        <translation>0 또는 ZeRO 1~3을 선택하십시오</translation>
    </message>
    <message>
        <source>choose 0, or at least 2 replicas</source>
        <translation>0 또는 복제본 2개 이상을 선택하십시오</translation>
    </message>
    <message>
        <source>choose 1, or a synchronous schedule such as 1f1b</source>
        <translation>1 또는 1f1b 같은 동기 스케줄을 선택하십시오</translation>
    </message>
    <message>
        <source>choose 1, or give model.experts</source>
        <translation>1을 선택하거나 model.experts를 지정하십시오</translation>
    </message>
    <message>
        <source>choose %1, or --context-method all-gather or ring</source>
        <translation>%1, 또는 --context-method all-gather나 ring을 선택하십시오</translation>
    </message>
    <message>
        <source>choose %1, or a model.sequence of %2</source>
        <translation>%1을(를) 선택하거나 model.sequence를 %2(으)로 하십시오</translation>
    </message>
    <message>
        <source>is empty</source>
        <translation>비어 있습니다</translation>
    </message>
    <message>
        <source>name one</source>
        <translation>하나를 지정하십시오</translation>
    </message>
    <message>
        <source>name that</source>
        <translation>그것을 지정하십시오</translation>
    </message>
    <message>
        <source>holds bytes that are no UTF-8 text</source>
        <translation>UTF-8 텍스트가 아닌 바이트가 있습니다</translation>
    </message>
    <message>
        <source>rename it</source>
        <translation>이름을 바꾸십시오</translation>
    </message>
    <message>
        <source>rename the file</source>
        <translation>파일 이름을 바꾸십시오</translation>
    </message>
    <message>
        <source>is %1, and %2 heads of it are wider than %3</source>
        <translation>값이 %1이고, 이런 헤드 %2개는 %3보다 넓습니다</translation>
    </message>
    <message>
        <source>is %1, but the %2 heads of gpt divide hidden %3</source>
        <translation>값이 %1이지만 gpt의 헤드 %2개는 은닉 폭 %3을(를) 나누어 가집니다</translation>
    </message>
    <message>
        <source>leave it out or choose family llama</source>
        <translation>비워 두거나 llama 계열을 선택하십시오</translation>
    </message>
    <message>
        <source>%1 heads do not divide hidden %2</source>
        <translation>은닉 폭 %2이(가) 헤드 수 %1(으)로 나누어떨어지지 않습니다</translation>
    </message>
    <message>
        <source>a head is %1 wide, and rotary positions need an even width</source>
        <translation>헤드 폭이 %1인데 회전 위치에는 짝수 폭이 필요합니다</translation>
    </message>
    <message>
        <source>is %1, but the experts are MLPs of a llama</source>
        <translation>값이 %1이지만 전문가는 llama의 MLP입니다</translation>
    </message>
    <message>
        <source>is %1, more than the %2 experts</source>
        <translation>값이 %1이며 전문가 %2개보다 많습니다</translation>
    </message>
    <message>
        <source>%1 key and value heads do not divide %2 heads</source>
        <translation>헤드 수 %2이(가) 키/값 헤드 수 %1(으)로 나누어떨어지지 않습니다</translation>
    </message>
    <message>
        <source>has about %1 parameters, and at most %2 are accepted</source>
        <translation>파라미터가 약 %1개인데 최대 %2개까지 허용됩니다</translation>
    </message>
    <message>
        <source>lower its sizes</source>
        <translation>크기를 줄이십시오</translation>
    </message>
    <message>
        <source>a step&apos;s activations are about %1 bytes, and at most %2 are accepted</source>
        <translation>한 스텝의 활성값이 약 %1바이트인데 최대 %2까지 허용됩니다</translation>
    </message>
    <message>
        <source>lower microbatch_size, microbatches or the model&apos;s sizes</source>
        <translation>microbatch_size, microbatches 또는 모델 크기를 줄이십시오</translation>
    </message>
    <message>
        <source>has %1 entries for %2 stages</source>
        <translation>스테이지 %2개에 항목이 %1개입니다</translation>
    </message>
    <message>
        <source>give one for each stage</source>
        <translation>스테이지마다 하나씩 지정하십시오</translation>
    </message>
    <message>
        <source>give one for each stage, or one number for all</source>
        <translation>스테이지마다 하나씩, 또는 모두에 하나를 지정하십시오</translation>
    </message>
    <message>
        <source>has a negative entry</source>
        <translation>음수 항목이 있습니다</translation>
    </message>
    <message>
        <source>give 0 layers or more</source>
        <translation>0개 이상의 레이어를 지정하십시오</translation>
    </message>
    <message>
        <source>has a stage without a layer</source>
        <translation>레이어가 없는 스테이지가 있습니다</translation>
    </message>
    <message>
        <source>give each at least 1, or choose redis, which may leave a stage without</source>
        <translation>각각 1개 이상 주거나, 빈 스테이지를 허용하는 redis를 선택하십시오</translation>
    </message>
    <message>
        <source>adds up to %1 layers, but there are %2</source>
        <translation>합이 레이어 %1개이지만 레이어는 %2개입니다</translation>
    </message>
    <message>
        <source>change an entry or the layers</source>
        <translation>항목이나 레이어 수를 바꾸십시오</translation>
    </message>
    <message>
        <source>must be all ones in a teaching example without a model</source>
        <translation>모델이 없는 교육용 예제에서는 모두 1이어야 합니다</translation>
    </message>
    <message>
        <source>is %1, but given durations are of whole passes</source>
        <translation>값이 %1이지만 주어진 소요 시간은 패스 전체의 것입니다</translation>
    </message>
    <message>
        <source>is %1, which does not divide %2</source>
        <translation>값이 %1이며 %2의 약수가 아닙니다</translation>
    </message>
    <message>
        <source>is %1, which does not divide the %2</source>
        <translation>값이 %1이며 %2의 약수가 아닙니다</translation>
    </message>
    <message>
        <source>is %1, which with %2 devices makes more parts than the %3 tokens of model.vocabulary_size</source>
        <translation>값이 %1이며, 장치 %2개와 함께 model.vocabulary_size의 토큰 %3개보다 많은 조각이 됩니다</translation>
    </message>
    <message>
        <source>lower either</source>
        <translation>둘 중 하나를 줄이십시오</translation>
    </message>
    <message>
        <source>is %1, but without ZeRO replicas shard nothing</source>
        <translation>값이 %1이지만 ZeRO가 없으면 복제본은 아무것도 나누지 않습니다</translation>
    </message>
    <message>
        <source>is %1, which is no divisor above 1 of the %2 replicas</source>
        <translation>값이 %1이며 복제본 %2개의 1보다 큰 약수가 아닙니다</translation>
    </message>
    <message>
        <source>is %1, which is no divisor above 1 of the %2 replica</source>
        <translation>값이 %1이며 복제본 %2개의 1보다 큰 약수가 아닙니다</translation>
    </message>
    <message>
        <source>give each of tp, cp, dp and pp once, fastest first, such as %1</source>
        <translation>tp, cp, dp, pp를 한 번씩, 빠른 것부터 쓰십시오(예: %1)</translation>
    </message>
    <message>
        <source>is %1, but one replica has no other to share with</source>
        <translation>값이 %1이지만 복제본이 하나면 나눌 상대가 없습니다</translation>
    </message>
    <message>
        <source>%1 microbatches on %2 stages are more than %3 forward passes</source>
        <translation>스테이지 %2개의 마이크로배치 %1개는 순전파 %3개를 넘습니다</translation>
    </message>
    <message>
        <source>lower microbatches to %1</source>
        <translation>마이크로배치를 %1(으)로 줄이십시오</translation>
    </message>
    <message>
        <source>is %1, more than the %2 tokens of a sequence</source>
        <translation>값이 %1이며 시퀀스의 토큰 %2개보다 많습니다</translation>
    </message>
    <message>
        <source>lower it</source>
        <translation>값을 줄이십시오</translation>
    </message>
    <message>
        <source>%1 devices need as many layers as stages, %2, but there are %3</source>
        <translation>장치 %1개에는 스테이지 수 %2만큼의 레이어가 필요하지만 %3개뿐입니다</translation>
    </message>
    <message>
        <source>%1 devices with %2 chunks each need as many layers as stages, %3, but there are %4</source>
        <translation>청크가 %2개씩인 장치 %1개에는 스테이지 수 %3만큼의 레이어가 필요하지만 %4개뿐입니다</translation>
    </message>
    <message>
        <source>lower devices to %1 or choose redis</source>
        <translation>장치를 %1(으)로 줄이거나 redis를 선택하십시오</translation>
    </message>
    <message>
        <source>lower chunks or choose redis</source>
        <translation>청크를 줄이거나 redis를 선택하십시오</translation>
    </message>
    <message>
        <source>is %1, less than the %2 devices</source>
        <translation>값이 %1이며 장치 %2개보다 적습니다</translation>
    </message>
    <message>
        <source>raise it or lower devices</source>
        <translation>값을 늘리거나 장치를 줄이십시오</translation>
    </message>
    <message>
        <source>needs a model to compute costs from</source>
        <translation>비용을 계산할 모델이 필요합니다</translation>
    </message>
    <message>
        <source>give a model, or uniform costs or durations</source>
        <translation>모델을 지정하거나, 균일한 비용 또는 소요 시간을 지정하십시오</translation>
    </message>
    <message>
        <source>the plan has %1 ranks, and %2 has %3 (%4 nodes of %5)</source>
        <translation>계획에는 랭크가 %1개인데 %2에는 %3개입니다(%5개짜리 노드 %4개)</translation>
    </message>
    <message>
        <source>lower devices to %1, or raise its nodes to %2</source>
        <translation>장치를 %1(으)로 줄이거나 노드를 %2(으)로 늘리십시오</translation>
    </message>
    <message>
        <source>lower the replicas to %1, or raise its nodes to %2</source>
        <translation>복제본을 %1(으)로 줄이거나 노드를 %2(으)로 늘리십시오</translation>
    </message>
    <message>
        <source>is no pass or message</source>
        <translation>패스나 메시지가 아닙니다</translation>
    </message>
    <message>
        <source>there are %1</source>
        <translation>사용할 수 있는 것은 %1입니다</translation>
    </message>
    <message>
        <source>is missing</source>
        <translation>없습니다</translation>
    </message>
    <message>
        <source>a custom schedule needs its file</source>
        <translation>사용자 정의 스케줄에는 파일이 필요합니다</translation>
    </message>
    <message>
        <source>stands beside schedule.file</source>
        <translation>schedule.file과 함께 있습니다</translation>
    </message>
    <message>
        <source>leave one of the two out</source>
        <translation>둘 중 하나를 빼십시오</translation>
    </message>
    <message>
        <source>is %1, but %2 has a custom schedule</source>
        <translation>값이 %1이지만 %2에 사용자 정의 스케줄이 있습니다</translation>
    </message>
    <message>
        <source>has %1</source>
        <translation>%1이(가) 있습니다</translation>
    </message>
    <message>
        <source>%1 has %2 chunks a device, and %3 are given</source>
        <translation>%1은(는) 장치마다 청크가 %2개인데 %3개가 지정되었습니다</translation>
    </message>
    <message>
        <source>%1 has %2 chunk a device, and %3 are given</source>
        <translation>%1은(는) 장치마다 청크가 %2개인데 %3개가 지정되었습니다</translation>
    </message>
    <message>
        <source>leave chunks out or give %1</source>
        <translation>청크를 비워 두거나 %1(으)로 하십시오</translation>
    </message>
    <message>
        <source>%1 does not run in groups of microbatches</source>
        <translation>%1은(는) 마이크로배치 묶음으로 실행하지 않습니다</translation>
    </message>
    <message>
        <source>leave it out or choose interleaved-1f1b</source>
        <translation>비워 두거나 interleaved-1f1b를 선택하십시오</translation>
    </message>
    <message>
        <source>%1 has no waves</source>
        <translation>%1에는 웨이브가 없습니다</translation>
    </message>
    <message>
        <source>leave it out or choose hanayo</source>
        <translation>비워 두거나 hanayo를 선택하십시오</translation>
    </message>
    <message>
        <source>%1 runs whole sequences</source>
        <translation>%1은(는) 전체 시퀀스를 실행합니다</translation>
    </message>
    <message>
        <source>leave it out or choose seq1f1b</source>
        <translation>비워 두거나 seq1f1b를 선택하십시오</translation>
    </message>
    <message>
        <source>is %1 bytes</source>
        <translation>%1바이트입니다</translation>
    </message>
    <message>
        <source>%1 is a family, not a method</source>
        <translation>%1은(는) 방법이 아니라 스케줄 계열입니다</translation>
    </message>
    <message>
        <source>leave vocabulary out and choose the schedule %1</source>
        <translation>어휘를 비워 두고 스케줄 %1을(를) 선택하십시오</translation>
    </message>
    <message>
        <source>is %1 for stage %2, which has %3 layers</source>
        <translation>스테이지 %2에서 %1인데 레이어는 %3개입니다</translation>
    </message>
    <message>
        <source>is %1, and stages have at most %2 layers</source>
        <translation>값이 %1인데 스테이지의 레이어는 많아야 %2개입니다</translation>
    </message>
    <message>
        <source>is %1, but a fraction is from 0 to 1</source>
        <translation>값이 %1이지만 비율은 0에서 1까지입니다</translation>
    </message>
    <message>
        <source>is %1, but %2 updates weights before a step has ended, and %3 sum their gradients at its end</source>
        <translation>값이 %1이지만 %2은(는) 스텝이 끝나기 전에 가중치를 갱신하고, %3은(는) 스텝 끝에서 기울기를 합산합니다</translation>
    </message>
    <message>
        <source>is %1, but ulysses divides the %2 heads of keys and values of a tensor rank among the context ranks</source>
        <translation>값이 %1이지만 ulysses는 텐서 랭크의 키/값 헤드 %2개를 컨텍스트 랭크에 나눕니다</translation>
    </message>
    <message>
        <source>is %1, but a sequence of %2 tokens is not a multiple of %3 chunks (2 for each rank)</source>
        <translation>값이 %1이지만 토큰 %2개의 시퀀스는 청크 %3개(랭크마다 2개)의 배수가 아닙니다</translation>
    </message>
    <message>
        <source>is %1, but a sequence of %2 tokens is not a multiple of %3 chunks (2 for each context and tensor rank)</source>
        <translation>값이 %1이지만 토큰 %2개의 시퀀스는 청크 %3개(컨텍스트·텐서 랭크마다 2개)의 배수가 아닙니다</translation>
    </message>
    <message>
        <source>is given, but all experts of a layer are on one rank, which computes as many rows whatever they choose</source>
        <translation>지정되었지만 한 레이어의 전문가가 모두 한 랭크에 있어 무엇을 고르든 같은 수의 행을 계산합니다</translation>
    </message>
    <message>
        <source>give parallel.expert, or leave it out</source>
        <translation>parallel.expert를 지정하거나 비워 두십시오</translation>
    </message>
    <message>
        <source>is %1, but the model has no experts</source>
        <translation>값이 %1이지만 모델에 전문가가 없습니다</translation>
    </message>
    <message>
        <source>%1 has no number for its factor</source>
        <translation>%1의 배율이 숫자가 아닙니다</translation>
    </message>
    <message>
        <source>write 1.5 for half as long again</source>
        <translation>절반 더 걸리면 1.5라고 쓰십시오</translation>
    </message>
    <message>
        <source>%1 has the factor %2</source>
        <translation>%1의 배율이 %2입니다</translation>
    </message>
    <message>
        <source>%1 names nothing slow</source>
        <translation>%1은(는) 느린 것을 가리키지 않습니다</translation>
    </message>
    <message>
        <source>write DEVICE=F, rank=R:F, node=N:F or replica=K:F, such as 3=1.5</source>
        <translation>DEVICE=F, rank=R:F, node=N:F 또는 replica=K:F로 쓰십시오(예: 3=1.5)</translation>
    </message>
    <message>
        <source>%1 names no link</source>
        <translation>%1은(는) 링크를 가리키지 않습니다</translation>
    </message>
    <message>
        <source>write two devices and a factor, such as 2-3=4</source>
        <translation>장치 두 개와 배율을 쓰십시오(예: 2-3=4)</translation>
    </message>
    <message>
        <source>names %1 %2, but the plan has only %3 0</source>
        <translation>%1 %2을(를) 가리키지만 계획에는 %3 0만 있습니다</translation>
    </message>
    <message>
        <source>names %1 %2, but the plan has %3 0 to %4</source>
        <translation>%1 %2을(를) 가리키지만 계획에는 %3 0~%4이(가) 있습니다</translation>
    </message>
    <message>
        <source>names %1 twice</source>
        <translation>%1을(를) 두 번 가리킵니다</translation>
    </message>
    <message>
        <source>keep one</source>
        <translation>하나만 남기십시오</translation>
    </message>
    <message>
        <source>names a node, but durations that are given say nothing of nodes</source>
        <translation>노드를 가리키지만 주어진 소요 시간에는 노드가 없습니다</translation>
    </message>
    <message>
        <source>name devices or ranks, or choose a hardware preset</source>
        <translation>장치나 랭크를 지정하거나 하드웨어 프리셋을 선택하십시오</translation>
    </message>
    <message>
        <source>joins device %1 to itself</source>
        <translation>장치 %1을(를) 자기 자신과 잇습니다</translation>
    </message>
    <message>
        <source>name two devices, such as %1</source>
        <translation>장치 두 개를 지정하십시오(예: %1)</translation>
    </message>
    <message>
        <source>is given without jitter, so that all draws are equal</source>
        <translation>지터 없이 지정되어 모든 추출이 같습니다</translation>
    </message>
    <message>
        <source>add jitter such as 0.05, or leave it out</source>
        <translation>0.05 같은 지터를 더하거나 비워 두십시오</translation>
    </message>
    <message>
        <source>is %1, and each draw simulates about %2 passes</source>
        <translation>값이 %1이고, 추출마다 약 %2개의 패스를 시뮬레이션합니다</translation>
    </message>
    <message>
        <source>cannot be used: one draw would simulate about %1 passes of all replicas, and at most %2 are drawn</source>
        <translation>사용할 수 없습니다: 추출 한 번이 모든 복제본의 패스 약 %1개를 시뮬레이션하는데 최대 %2개입니다</translation>
    </message>
    <message>
        <source>lower the replicas or the microbatches, or leave jitter out</source>
        <translation>복제본이나 마이크로배치를 줄이거나 지터를 비워 두십시오</translation>
    </message>
    <message>
        <source>needs checkpoint_seconds, the time of a checkpoint</source>
        <translation>체크포인트 시간인 checkpoint_seconds가 필요합니다</translation>
    </message>
    <message>
        <source>needs failure_interval, the hours between failures</source>
        <translation>고장 간격(시간)인 failure_interval이 필요합니다</translation>
    </message>
    <message>
        <source>give both, or neither</source>
        <translation>둘 다 지정하거나 둘 다 비워 두십시오</translation>
    </message>
    <message>
        <source>give it, or leave this out</source>
        <translation>그것을 지정하거나 이것을 비워 두십시오</translation>
    </message>
    <message>
        <source>is %1, but with a failure every %2 hours a checkpoint must take less than half of that</source>
        <translation>값이 %1이지만 %2시간마다 고장이 나면 체크포인트는 그 절반보다 짧아야 합니다</translation>
    </message>
    <message>
        <source>%1 devices are more than the %2 of this picture</source>
        <translation>장치 %1개는 이 그림의 %2개보다 많습니다</translation>
    </message>
    <message>
        <source>%1 microbatches are more than the %2 of this picture</source>
        <translation>마이크로배치 %1개는 이 그림의 %2개보다 많습니다</translation>
    </message>
    <message>
        <source>a search takes too long for this picture</source>
        <translation>이 그림에서는 탐색이 너무 오래 걸립니다</translation>
    </message>
    <message>
        <source>choose a schedule</source>
        <translation>스케줄을 선택하십시오</translation>
    </message>
    <message>
        <source>the plan has more than the %1 forwards of this picture</source>
        <translation>계획의 순전파가 이 그림의 %1개보다 많습니다</translation>
    </message>
    <message>
        <source>use fewer chunks or microbatches</source>
        <translation>청크나 마이크로배치를 줄이십시오</translation>
    </message>
    <message>
        <source>%1 is missing</source>
        <translation>%1이(가) 없습니다</translation>
    </message>
    <message>
        <source>add it to device %1</source>
        <translation>장치 %1에 추가하십시오</translation>
    </message>
    <message>
        <source>%1 runs twice, first at %2</source>
        <translation>%1이(가) 두 번 실행됩니다(처음: %2)</translation>
    </message>
    <message>
        <source>remove one of the two</source>
        <translation>둘 중 하나를 제거하십시오</translation>
    </message>
    <message>
        <source>remove it from device %1</source>
        <translation>장치 %1에서 제거하십시오</translation>
    </message>
    <message>
        <source>move it to device %1</source>
        <translation>장치 %1(으)로 옮기십시오</translation>
    </message>
    <message>
        <source>%1 is on device %2 but stage %3 belongs to device %4</source>
        <translation>%1이(가) 장치 %2에 있지만 스테이지 %3은(는) 장치 %4의 것입니다</translation>
    </message>
    <message>
        <source>%1 needs %2, which comes only at %3</source>
        <translation>%1에는 %2이(가) 필요한데 %3에서야 나옵니다</translation>
    </message>
    <message>
        <source>move %1 in front of %2</source>
        <translation>%1을(를) %2 앞으로 옮기십시오</translation>
    </message>
    <message>
        <source>move it in front of %1</source>
        <translation>%1 앞으로 옮기십시오</translation>
    </message>
    <message>
        <source>a run takes the times of its machine</source>
        <translation>실행은 그 컴퓨터의 시간을 씁니다</translation>
    </message>
    <message>
        <source>leave it out to run the plan, or only predict the plan</source>
        <translation>실행하려면 비워 두고, 아니면 계획을 예측만 하십시오</translation>
    </message>
    <message>
        <source>the probabilities of a part of the keys change with every part that follows</source>
        <translation>키 일부의 확률은 뒤따르는 부분마다 바뀝니다</translation>
    </message>
    <message>
        <source>choose all-gather, or flash attention</source>
        <translation>all-gather 또는 flash 어텐션을 선택하십시오</translation>
    </message>
    <message>
        <source>choose 1, or exchange once a step (zero2 deferred, zero3 resident)</source>
        <translation>1을 선택하거나 스텝마다 한 번 교환하십시오(zero2 deferred, zero3 resident)</translation>
    </message>
    <message>
        <source>a run takes the choices of its routers</source>
        <translation>실행은 라우터의 선택을 따릅니다</translation>
    </message>
    <message>
        <source>it would treat the matrices of all experts of a layer as one</source>
        <translation>한 레이어의 모든 전문가 행렬을 하나로 다루게 됩니다</translation>
    </message>
    <message>
        <source>a prediction has one time for all forwards of a stage, and only some of them gather</source>
        <translation>예측은 한 스테이지의 모든 순전파에 같은 시간을 쓰는데 그중 일부만 파라미터를 모읍니다</translation>
    </message>
    <message>
        <source>context ranks shard with all replicas</source>
        <translation>컨텍스트 랭크는 모든 복제본과 함께 나눕니다</translation>
    </message>
    <message>
        <source>choose 0, or one context rank</source>
        <translation>0 또는 컨텍스트 랭크 하나를 선택하십시오</translation>
    </message>
    <message>
        <source>given durations do not say what exchanges take</source>
        <translation>주어진 소요 시간에는 교환 시간이 없습니다</translation>
    </message>
    <message>
        <source>choose a hardware preset, or exchange once a step (zero2 deferred, zero3 resident)</source>
        <translation>하드웨어 프리셋을 선택하거나 스텝마다 한 번 교환하십시오(zero2 deferred, zero3 resident)</translation>
    </message>
    <message>
        <source>replicas would wait for each other in every pass, and each is simulated alone</source>
        <translation>복제본이 패스마다 서로 기다리게 되는데, 시뮬레이션은 복제본마다 따로 합니다</translation>
    </message>
    <message>
        <source>choose to exchange once a step (zero2 deferred, zero3 resident), or leave the what-if out</source>
        <translation>스텝마다 한 번 교환하거나(zero2 deferred, zero3 resident) 가정을 비워 두십시오</translation>
    </message>
    <message>
        <source>tensor ranks divide the rows and columns that its state is of</source>
        <translation>텐서 랭크가 그 상태의 행과 열을 나눕니다</translation>
    </message>
    <message>
        <source>choose adamw, lion or sgd, or tensor 1</source>
        <translation>adamw, lion, sgd 또는 텐서 1을 선택하십시오</translation>
    </message>
    <message>
        <source>the GPU kernels of attention never store its probabilities</source>
        <translation>GPU의 어텐션 커널은 확률을 저장하지 않습니다</translation>
    </message>
    <message>
        <source>choose flash, or the backend cpu</source>
        <translation>flash 또는 cpu 백엔드를 선택하십시오</translation>
    </message>
    <message>
        <source>GPUs compute GELU within a product, and a kernel of its own rounds differently</source>
        <translation>GPU는 곱셈 안에서 GELU를 계산하며 별도 커널은 반올림이 다릅니다</translation>
    </message>
    <message>
        <source>leave activation out, or choose the backend cpu</source>
        <translation>activation을 빼거나 cpu 백엔드를 선택하십시오</translation>
    </message>
    <message>
        <source>the slices of a sequence share keys and values, which stay on the device</source>
        <translation>시퀀스 조각은 장치에 남는 키와 값을 공유합니다</translation>
    </message>
    <message>
        <source>choose none, or the family 1f1b</source>
        <translation>none 또는 1f1b 계열을 선택하십시오</translation>
    </message>
    <message>
        <source>draws of the jitter do not yet wait for copies</source>
        <translation>지터 추출은 아직 복사를 기다리지 않습니다</translation>
    </message>
    <message>
        <source>choose none, or leave what_if.jitter out</source>
        <translation>none을 선택하거나 what_if.jitter를 비워 두십시오</translation>
    </message>
    <message>
        <source>the memory of slices is planned for attention that does not keep its probabilities</source>
        <translation>조각의 메모리는 확률을 보관하지 않는 어텐션을 기준으로 계획됩니다</translation>
    </message>
    <message>
        <source>choose flash</source>
        <translation>flash를 선택하십시오</translation>
    </message>
    <message>
        <source>context ranks do not yet gather the keys of slices</source>
        <translation>컨텍스트 랭크는 아직 조각의 키를 모으지 못합니다</translation>
    </message>
    <message>
        <source>choose 1, or the family 1f1b</source>
        <translation>1 또는 1f1b 계열을 선택하십시오</translation>
    </message>
    <message>
        <source>slices are cut from sequences of equal length</source>
        <translation>조각은 길이가 같은 시퀀스에서 잘라 냅니다</translation>
    </message>
    <message>
        <source>choose 1f1b, or leave it out</source>
        <translation>1f1b를 선택하거나 비워 두십시오</translation>
    </message>
    <message>
        <source>a run takes the lengths of its data</source>
        <translation>실행은 데이터의 길이를 따릅니다</translation>
    </message>
    <message>
        <source>a run fails when its machine does</source>
        <translation>실행은 그 컴퓨터에 고장이 날 때 실패합니다</translation>
    </message>
    <message>
        <source>%1; %2</source>
        <translation>%1; %2</translation>
    </message>
    <message>
        <source>. Throughput and MFU are of all ranks, bubble and memory of one rank of each device.</source>
        <translation>. 처리량과 MFU는 모든 랭크의 값이고, 버블과 메모리는 장치마다 랭크 하나의 값입니다.</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1.</translation>
    </message>
    <message>
        <source>line %1, word %2</source>
        <translation>%1행 %2번째 단어</translation>
    </message>
    <message>
        <source>position %1</source>
        <translation>위치 %1</translation>
    </message>
    <message>
        <source>Shared experts</source>
        <translation>공유 전문가</translation>
    </message>
    <message>
        <source>Experts beside the routed ones that compute every token, as one MLP of n times the width of an expert.</source>
        <translation>라우팅되는 전문가 외에 모든 토큰을 계산하는 전문가로, 전문가 폭의 n배인 MLP 하나입니다.</translation>
    </message>
    <message>
        <source>First dense layers</source>
        <translation>앞쪽 밀집 레이어</translation>
    </message>
    <message>
        <source>First layers that have one MLP for all tokens all the same.</source>
        <translation>그래도 모든 토큰에 하나의 MLP를 쓰는 처음 몇 레이어.</translation>
    </message>
    <message>
        <source>Expert layers</source>
        <translation>전문가 레이어 간격</translation>
    </message>
    <message>
        <source>Of the layers after the first dense ones, every k-th has experts and the others have one MLP.</source>
        <translation>앞쪽 밀집 레이어 뒤에서 k번째마다 전문가가 있고 나머지는 MLP가 하나입니다.</translation>
    </message>
    <message>
        <source>Router</source>
        <translation>라우터</translation>
    </message>
    <message>
        <source>How a router weighs experts.</source>
        <translation>라우터가 전문가에 가중치를 주는 방법입니다.</translation>
    </message>
    <message>
        <source>Softmax</source>
        <translation>Softmax</translation>
    </message>
    <message>
        <source>Gates are the softmax of a token&apos;s chosen logits</source>
        <translation>게이트는 토큰이 고른 로짓의 소프트맥스입니다</translation>
    </message>
    <message>
        <source>Sigmoid and bias</source>
        <translation>Sigmoid와 편향</translation>
    </message>
    <message>
        <source>Gates are sigmoids that add up to 1; a bias of each expert, which counts for the choice alone, is moved by each step</source>
        <translation>게이트는 합이 1인 sigmoid이고, 선택에만 쓰이는 전문가별 편향을 스텝마다 옮깁니다</translation>
    </message>
    <message>
        <source>Bias step</source>
        <translation>편향 폭</translation>
    </message>
    <message>
        <source>With sigmoid routers: each step raises the bias of experts with fewer tokens than the mean by G, and lowers that of the others (0: leaves it).</source>
        <translation>sigmoid 라우터에서: 스텝마다 토큰이 평균보다 적은 전문가의 편향을 G만큼 올리고 나머지는 내립니다(0: 그대로).</translation>
    </message>
    <message>
        <source>Gate factor</source>
        <translation>게이트 배율</translation>
    </message>
    <message>
        <source>With sigmoid routers: factor of all gates.</source>
        <translation>sigmoid 라우터에서: 모든 게이트의 배율입니다.</translation>
    </message>
    <message>
        <source>Expert groups</source>
        <translation>전문가 그룹</translation>
    </message>
    <message>
        <source>With sigmoid routers: groups of adjacent experts, such as those of a node.</source>
        <translation>sigmoid 라우터에서: 한 노드의 전문가처럼 이웃한 전문가들의 그룹입니다.</translation>
    </message>
    <message>
        <source>Groups of a token</source>
        <translation>토큰의 그룹</translation>
    </message>
    <message>
        <source>With sigmoid routers: groups from which a token chooses (0: all).</source>
        <translation>sigmoid 라우터에서: 토큰이 고를 수 있는 그룹 수입니다(0: 모두).</translation>
    </message>
    <message>
        <source>Capacity</source>
        <translation>용량</translation>
    </message>
    <message>
        <source>Rows that an expert takes of a microbatch, relative to the mean; it drops the others.</source>
        <translation>전문가가 마이크로배치에서 받는 행의 평균 대비 수이며, 나머지는 버립니다.</translation>
    </message>
    <message>
        <source>dropless</source>
        <translation>버리지 않음</translation>
    </message>
    <message>
        <source>Dropped rows</source>
        <translation>버리는 행</translation>
    </message>
    <message>
        <source>Which rows an expert drops beyond its capacity.</source>
        <translation>용량을 넘을 때 전문가가 버리는 행입니다.</translation>
    </message>
    <message>
        <source>Least gates</source>
        <translation>가장 작은 게이트</translation>
    </message>
    <message>
        <source>The rows of the least gates; ties keep the earlier token</source>
        <translation>게이트가 가장 작은 행; 같으면 앞선 토큰을 남깁니다</translation>
    </message>
    <message>
        <source>Last tokens</source>
        <translation>마지막 토큰</translation>
    </message>
    <message>
        <source>The rows of the last tokens of the microbatch</source>
        <translation>마이크로배치의 마지막 토큰의 행</translation>
    </message>
    <message>
        <source>small mixture of 16 experts for a laptop, 2 of which and a shared one compute a token</source>
        <translation>노트북용 작은 전문가 16개 혼합, 토큰마다 2개와 공유 전문가 하나가 계산</translation>
    </message>
    <message>
        <source>DeepSeek-V3, 256 experts of which 8 and a shared one compute a token; only predicted, without its prediction of a second token</source>
        <translation>DeepSeek-V3, 전문가 256개 중 8개와 공유 전문가 하나가 토큰을 계산; 예측만 하며 두 번째 토큰 예측은 제외</translation>
    </message>
    <message>
        <source>1F1B over slices of each sequence: bubble and memory shrink with the slices</source>
        <translation>각 시퀀스의 조각 단위로 실행하는 1F1B: 조각 수에 따라 버블과 메모리가 줄어듦</translation>
    </message>
    <message>
        <source>1F1B over slices of each sequence, and a split backward</source>
        <translation>각 시퀀스의 조각 단위로 실행하는 1F1B, 역전파 나눔</translation>
    </message>
    <message>
        <source>Gradient compression</source>
        <translation>기울기 압축</translation>
    </message>
    <message>
        <source>All numbers of the gradients</source>
        <translation>기울기의 모든 수</translation>
    </message>
    <message>
        <source>PowerSGD, rank 2</source>
        <translation>PowerSGD, 랭크 2</translation>
    </message>
    <message>
        <source>Two thin matrices whose product is nearly the gradient</source>
        <translation>곱이 기울기에 가까운 얇은 행렬 두 개</translation>
    </message>
    <message>
        <source>PowerSGD, rank 4</source>
        <translation>PowerSGD, 랭크 4</translation>
    </message>
    <message>
        <source>PowerSGD, rank 16</source>
        <translation>PowerSGD, 랭크 16</translation>
    </message>
    <message>
        <source>Greatest 1 %</source>
        <translation>가장 큰 1 %</translation>
    </message>
    <message>
        <source>The numbers that are greatest in size, and their places</source>
        <translation>절댓값이 가장 큰 수와 그 위치</translation>
    </message>
    <message>
        <source>Greatest 10 %</source>
        <translation>가장 큰 10 %</translation>
    </message>
    <message>
        <source>Signs</source>
        <translation>부호</translation>
    </message>
    <message>
        <source>One bit for each number, and one scale for each matrix</source>
        <translation>수마다 1비트, 행렬마다 배율 하나</translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation>손실 스케일</translation>
    </message>
    <message>
        <source>Factor of the loss in fp16, which keeps small gradients from becoming 0: dynamic (halved when a gradient overflows, which skips the step), or a power of two.</source>
        <translation>작은 기울기가 0이 되지 않도록 fp16에서 손실에 곱하는 수: dynamic(기울기가 넘치면 그 스텝을 건너뛰고 절반으로 줄임) 또는 2의 거듭제곱.</translation>
    </message>
    <message>
        <source>Dynamic</source>
        <translation>동적</translation>
    </message>
    <message>
        <source>Begins at 65536; halved when a gradient overflows, doubled after 1000 steps without</source>
        <translation>65536에서 시작해 기울기가 넘치면 절반으로 줄이고, 넘치지 않은 1000스텝마다 두 배로 늘립니다</translation>
    </message>
    <message>
        <source>Stagelens checks whether the other machine can run the plan.</source>
        <translation>다른 컴퓨터에서 계획을 실행할 수 있는지 Stagelens가 확인합니다.</translation>
    </message>
    <message>
        <source>U&amp;nsaved lecture</source>
        <translation>저장되지 않은 강의(&amp;N)</translation>
    </message>
    <message>
        <source>Back to the lecture that is not saved in a file</source>
        <translation>파일에 저장되지 않은 강의로 돌아갑니다</translation>
    </message>
    <message>
        <source>This lecture is not saved in a file yet: choose one with Save as.</source>
        <translation>이 강의는 아직 파일에 저장되지 않았습니다. 다른 이름으로 저장에서 파일을 선택하십시오.</translation>
    </message>
    <message>
        <source>Not saved in a file yet, but kept for the next start: choose a file with Save as.</source>
        <translation>아직 파일에 저장되지 않았지만 다음 시작까지 보관됩니다. 다른 이름으로 저장에서 파일을 선택하십시오.</translation>
    </message>
    <message>
        <source>It is kept for the next start: choose another file with Save as.</source>
        <translation>다음 시작까지 보관됩니다. 다른 이름으로 저장에서 다른 파일을 선택하십시오.</translation>
    </message>
    <message>
        <source>start %1</source>
        <translation>시작 %1</translation>
    </message>
    <message>
        <source>goal %1</source>
        <translation>목표 %1</translation>
    </message>
    <message>
        <source>Drag a pass to another place of its lane. With the keyboard, choose one with the arrow keys and move it with Alt+Shift+← and →.</source>
        <translation>패스를 같은 레인의 다른 위치로 끌어다 놓으십시오. 키보드로는 화살표 키로 고르고 Alt+Shift+←, →로 옮깁니다.</translation>
    </message>
    <message>
        <source>Puts the pass back that was moved last (Ctrl+Z)</source>
        <translation>마지막으로 옮긴 패스를 되돌립니다(Ctrl+Z)</translation>
    </message>
    <message>
        <source>The slides were not written. %1: %2</source>
        <translation>슬라이드를 쓰지 못했습니다. %1: %2</translation>
    </message>
    <message>
        <source>Cancel (%1 of %2)</source>
        <translation>취소(%1/%2)</translation>
    </message>
    <message>
        <source>Makespan %1, goal %2</source>
        <translation>전체 시간 %1, 목표 %2</translation>
    </message>
    <message>
        <source>%1 microbatches held, cap %2</source>
        <translation>마이크로배치 %1개 보관, 한도 %2개</translation>
    </message>
    <message>
        <source>%1 microbatches held</source>
        <translation>마이크로배치 %1개 보관</translation>
    </message>
    <message>
        <source>score %1 (lower bound %2)</source>
        <translation>점수 %1(하한 %2)</translation>
    </message>
    <message>
        <source>no score above the cap (lower bound %1)</source>
        <translation>한도를 넘어 점수 없음(하한 %1)</translation>
    </message>
    <message>
        <source> Its replicas average their weights for %1 (data).</source>
        <translation> 복제본이 %1 동안 가중치의 평균을 냅니다(데이터).</translation>
    </message>
    <message>
        <source>Replicas average their weights</source>
        <translation>복제본이 가중치의 평균을 냄</translation>
    </message>
    <message>
        <source>average</source>
        <translation>평균</translation>
    </message>
    <message>
        <source>average of the replicas&apos; weights (hatched)</source>
        <translation>복제본 가중치의 평균(빗금)</translation>
    </message>
    <message>
        <source>choose 1, or at least 2 replicas</source>
        <translation>1 또는 복제본 2개 이상을 선택하십시오</translation>
    </message>
    <message>
        <source>choose 1, or zero 0</source>
        <translation>1 또는 zero 0을 선택하십시오</translation>
    </message>
    <message>
        <source>choose 1, or one context rank</source>
        <translation>1 또는 컨텍스트 랭크 하나를 선택하십시오</translation>
    </message>
    <message>
        <source>choose 1, or the compression none</source>
        <translation>1 또는 압축 none을 선택하십시오</translation>
    </message>
    <message>
        <source>choose 1, or leave what_if.jitter out</source>
        <translation>1을 선택하거나 what_if.jitter를 비워 두십시오</translation>
    </message>
    <message>
        <source>is %1, but one replica has no other to average weights with</source>
        <translation>값이 %1이지만 복제본이 하나뿐이면 가중치를 평균할 다른 복제본이 없습니다</translation>
    </message>
    <message>
        <source>is %1, but replicas that are averaged every %2 steps would end with different weights</source>
        <translation>값이 %1이지만 %2스텝마다 평균을 내는 복제본은 서로 다른 가중치로 끝나게 됩니다</translation>
    </message>
    <message>
        <source>a replica that trains alone updates all of its parameters, and needs the whole optimizer state</source>
        <translation>혼자 학습하는 복제본은 자신의 모든 파라미터를 갱신하므로 옵티마이저 상태 전체가 필요합니다</translation>
    </message>
    <message>
        <source>context ranks sum their gradients in the reduction over replicas, which it leaves out</source>
        <translation>컨텍스트 랭크는 복제본 사이의 축약에서 기울기를 합산하는데, 그 축약이 없습니다</translation>
    </message>
    <message>
        <source>replicas that share their experts exchange tokens in every pass, and none of them trains alone</source>
        <translation>전문가를 공유하는 복제본은 모든 패스에서 토큰을 교환하므로 혼자 학습하는 복제본이 없습니다</translation>
    </message>
    <message>
        <source>replicas exchange no gradients to compress</source>
        <translation>복제본이 교환하는, 압축할 기울기가 없습니다</translation>
    </message>
    <message>
        <source>a draw of the jitter is of one step, and replicas wait for each other after several</source>
        <translation>지터의 추출은 한 스텝에 대한 것인데, 복제본은 여러 스텝 뒤에야 서로 기다립니다</translation>
    </message>
    <message>
        <source>Steps between averages</source>
        <translation>평균 사이의 스텝 수</translation>
    </message>
    <message>
        <source>1: replicas sum their gradients in every step; more: each trains alone, and their weights are averaged every H steps (local SGD), which changes the training.</source>
        <translation>1: 복제본이 스텝마다 기울기를 합산합니다. 더 큰 값: 각각 혼자 학습하고 H스텝마다 가중치의 평균을 냅니다(local SGD). 학습이 달라집니다.</translation>
    </message>
    <message>
        <source>average every %1 steps</source>
        <translation>%1스텝마다 평균</translation>
    </message>
    <message>
        <source>Each replica trains alone, and their weights are averaged every %1 steps: the iteration is the mean of these steps, and the timeline shows the last, with the average. The losses are those of another training than with the sum of the gradients.</source>
        <translation>각 복제본은 혼자 학습하고 %1스텝마다 가중치의 평균을 냅니다. 반복 시간은 이 스텝들의 평균이며, 타임라인은 평균을 내는 마지막 스텝을 보여 줍니다. 손실은 기울기를 합산할 때와 다른 학습의 것입니다.</translation>
    </message>
    <message>
        <source>, all of it for %1</source>
        <translation>, 모두 %1 때문입니다</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>프로세서</translation>
    </message>
    <message>
        <source>The part of the measured time in which no other program had the processor</source>
        <translation>측정된 시간 중 다른 프로그램이 프로세서를 쓰지 않은 비율</translation>
    </message>
    <message>
        <source>The machine was busy: passes had a processor for %1 of their time, other programs for the rest. Train again when it is idle.</source>
        <translation>컴퓨터가 다른 작업으로 바빴습니다. 패스는 시간의 %1 동안만 프로세서를 썼고 나머지는 다른 프로그램이 썼습니다. 한가할 때 다시 학습하십시오.</translation>
    </message>
    <message>
        <source>The machine was busy: passes had a processor for %1 of their time.</source>
        <translation>컴퓨터가 다른 작업으로 바빴습니다. 패스는 시간의 %1 동안만 프로세서를 썼습니다.</translation>
    </message>
    <message>
        <source>Host memory</source>
        <translation>호스트 메모리</translation>
    </message>
    <message>
        <source>Most bytes that the host of a device holds: activations, optimizer state and weights.</source>
        <translation>장치의 호스트가 보관하는 최대 바이트: 활성값, 옵티마이저 상태, 가중치.</translation>
    </message>
    <message>
        <source> Averaging weights every %1 steps exposes %2 a step and hides %3.</source>
        <translation> %1스텝마다 가중치의 평균을 내면 스텝당 %2 노출되고 %3 숨겨집니다.</translation>
    </message>
    <message>
        <source>Every step</source>
        <translation>스텝마다</translation>
    </message>
    <message>
        <source>Every %1 steps</source>
        <translation>%1스텝마다</translation>
    </message>
    <message>
        <source>&amp;Devices</source>
        <translation>장치(&amp;D)</translation>
    </message>
    <message>
        <source>A lane for each pipeline device</source>
        <translation>파이프라인 장치마다 레인 하나</translation>
    </message>
    <message>
        <source>Devices and &amp;streams</source>
        <translation>장치와 스트림(&amp;S)</translation>
    </message>
    <message>
        <source>Below each lane: what is exchanged and copied, by dimension</source>
        <translation>각 레인 아래: 주고받고 복사하는 것을 차원별로</translation>
    </message>
    <message>
        <source>Devices, streams and &amp;ranks</source>
        <translation>장치, 스트림, 랭크(&amp;R)</translation>
    </message>
    <message>
        <source>Below each lane also the ranks that it stands for</source>
        <translation>각 레인 아래에 그 레인이 나타내는 랭크도 표시</translation>
    </message>
    <message>
        <source>La&amp;nes</source>
        <translation>레인(&amp;N)</translation>
    </message>
    <message>
        <source>without ZeRO</source>
        <translation>ZeRO 없이</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>텐서</translation>
    </message>
    <message>
        <source>context</source>
        <translation>컨텍스트</translation>
    </message>
    <message>
        <source>How evenly the routers of the shown run choose experts</source>
        <translation>표시된 실행의 라우터가 전문가를 얼마나 고르게 고르는지</translation>
    </message>
    <message>
        <source>all-to-alls of experts, inside passes</source>
        <translation>전문가 all-to-all(패스 안)</translation>
    </message>
    <message>
        <source>Found by simulating again, always in this order: without the what-ifs&apos; slow parts,
without barriers and messages,
then with the vocabulary layers&apos; work spread evenly, then with equal stages.
What each saves is its part; what is left is fill and drain.
All-to-alls of experts that no other pass hides lengthen passes: they are beside the bubble.
Below: how much of its time each device waits.</source>
        <translation>다시 시뮬레이션하여 항상 이 순서로 구합니다: 가정의 느린 부분 없이,
배리어와 메시지 없이,
그다음 어휘 레이어의 작업을 고르게 나누고, 그다음 스테이지를 같게 합니다.
각각이 줄이는 시간이 그 몫이고, 남는 것은 채움과 비움입니다.
다른 패스가 숨기지 못하는 전문가 all-to-all은 패스를 늘립니다. 버블 밖의 시간입니다.
아래: 각 장치가 기다리는 시간의 비율.</translation>
    </message>
    <message>
        <source>busiest above the mean</source>
        <translation>가장 바쁜 쪽의 평균 초과</translation>
    </message>
    <message>
        <source>router entropy</source>
        <translation>라우터 엔트로피</translation>
    </message>
    <message>
        <source>dropped rows</source>
        <translation>버린 행</translation>
    </message>
    <message>
        <source>expert rank</source>
        <translation>전문가 랭크</translation>
    </message>
    <message>
        <source>expert</source>
        <translation>전문가</translation>
    </message>
    <message>
        <source>pipeline</source>
        <translation>파이프라인</translation>
    </message>
    <message>
        <source>data, ZeRO</source>
        <translation>데이터, ZeRO</translation>
    </message>
    <message>
        <source>copy to host</source>
        <translation>호스트로 복사</translation>
    </message>
    <message>
        <source>%1 more ranks</source>
        <translation>랭크 %1개 더</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>랭크 %1</translation>
    </message>
    <message>
        <source> Averaging weights every %1 steps exposes %2 a step.</source>
        <translation> %1스텝마다 가중치의 평균을 내면 스텝당 %2 노출됩니다.</translation>
    </message>
    <message>
        <source>Gradients summed in every step would take no more time.</source>
        <translation>스텝마다 기울기를 합산해도 시간이 더 걸리지 않습니다.</translation>
    </message>
    <message>
        <source>Gradients summed in every step would expose %1: %2 more time.</source>
        <translation>스텝마다 기울기를 합산하면 %1 노출됩니다: 시간이 %2 더 걸립니다.</translation>
    </message>
    <message>
        <source>No load of experts yet: F5 trains this plan and records its routers.</source>
        <translation>아직 전문가 부하가 없습니다. F5로 이 계획을 학습하면 라우터가 기록됩니다.</translation>
    </message>
    <message>
        <source>Load of experts</source>
        <translation>전문가 부하</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>레이어 %1</translation>
    </message>
    <message>
        <source>No load of experts yet</source>
        <translation>아직 전문가 부하 없음</translation>
    </message>
    <message>
        <source>%1: the busiest %2 of step %3 has %4 the mean of its layer</source>
        <translation>%1: %3스텝에서 가장 바쁜 %2은(는) 그 레이어 평균의 %4</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>스텝 %1</translation>
    </message>
    <message>
        <source>steps %1 to %2</source>
        <translation>스텝 %1~%2</translation>
    </message>
    <message>
        <source>%1, layer %2, %3 %4: %5 rows, %6 the mean of its layer</source>
        <translation>%1, 레이어 %2, %3 %4: %5행, 그 레이어 평균의 %6</translation>
    </message>
    <message>
        <source>; entropy %1 % of the greatest</source>
        <translation>; 엔트로피는 최댓값의 %1 %</translation>
    </message>
    <message>
        <source>; %1 rows of the layer dropped</source>
        <translation>; 그 레이어에서 %1행을 버림</translation>
    </message>
    <message>
        <source>Experts send for as long as they compute: %1 of the step.</source>
        <translation>전문가는 계산하는 만큼 오래 전송합니다: 스텝의 %1.</translation>
    </message>
    <message>
        <source>Every layer with experts waits for its all-to-alls: %1 of the step.</source>
        <translation>전문가가 있는 모든 레이어가 all-to-all을 기다립니다: 스텝의 %1.</translation>
    </message>
    <message>
        <source> The busiest expert rank receives %1 its share of the tokens, and the others wait for it.</source>
        <translation> 가장 바쁜 전문가 랭크는 제 몫의 %1에 해당하는 토큰을 받고, 나머지는 그것을 기다립니다.</translation>
    </message>
    <message>
        <source> %1 would hide %2 of it behind another microbatch, and make the iteration about %3 as fast.</source>
        <translation> %1은(는) 그중 %2을(를) 다른 마이크로배치 뒤에 숨기고, 반복 속도를 약 %3로 높입니다.</translation>
    </message>
    <message>
        <source>%1 · full colour: %2x the mean of the layer</source>
        <translation>%1 · 가장 진한 색: 레이어 평균의 %2배</translation>
    </message>
    <message>
        <source>Copies of a token</source>
        <translation>토큰의 사본</translation>
    </message>
    <message>
        <source>One for each expert</source>
        <translation>전문가마다 하나</translation>
    </message>
    <message>
        <source>A rank sends k copies of each token</source>
        <translation>랭크가 토큰마다 k개의 사본을 보냅니다</translation>
    </message>
    <message>
        <source>One for each node</source>
        <translation>노드마다 하나</translation>
    </message>
    <message>
        <source>Precision to experts</source>
        <translation>전문가로 보낼 때의 정밀도</translation>
    </message>
    <message>
        <source>That of the model</source>
        <translation>모델의 정밀도</translation>
    </message>
    <message>
        <source>Tokens and results have the same precision</source>
        <translation>토큰과 결과의 정밀도가 같습니다</translation>
    </message>
    <message>
        <source>8 bits</source>
        <translation>8비트</translation>
    </message>
    <message>
        <source>Precision of messages</source>
        <translation>메시지의 정밀도</translation>
    </message>
    <message>
        <source>Of activations and gradients between stages on different devices: same as the model&apos;s, bf16, fp8 or int8, which changes the training.</source>
        <translation>서로 다른 장치에 있는 스테이지 사이의 활성값과 기울기의 정밀도: 모델과 같음(same), bf16, fp8 또는 int8. 학습이 달라집니다.</translation>
    </message>
    <message>
        <source>The bits that a stage has computed</source>
        <translation>스테이지가 계산한 그대로의 비트</translation>
    </message>
    <message>
        <source>Half of the bytes of fp32</source>
        <translation>fp32 바이트의 절반</translation>
    </message>
    <message>
        <source>fp8</source>
        <translation>fp8</translation>
    </message>
    <message>
        <source>e4m3 forward, e5m2 backward, with a factor for every 128 numbers</source>
        <translation>순전파 e4m3, 역전파 e5m2, 숫자 128개마다 배율 하나</translation>
    </message>
    <message>
        <source>int8</source>
        <translation>int8</translation>
    </message>
    <message>
        <source>With a factor for every 128 numbers</source>
        <translation>숫자 128개마다 배율 하나</translation>
    </message>
    <message>
        <source>Stored activations</source>
        <translation>저장한 활성값</translation>
    </message>
    <message>
        <source>Precision of what layers keep from forward to backward: same as the model&apos;s, bf16, fp8 or int8. The loss of a step is exact, its gradients are not.</source>
        <translation>레이어가 순전파에서 역전파까지 보관하는 값의 정밀도: 모델과 같음(same), bf16, fp8 또는 int8. 한 스텝의 손실은 정확하지만 기울기는 그렇지 않습니다.</translation>
    </message>
    <message>
        <source>The bits that a layer has computed</source>
        <translation>레이어가 계산한 그대로의 비트</translation>
    </message>
    <message>
        <source>e4m3, with a factor for every 128 numbers</source>
        <translation>e4m3, 숫자 128개마다 배율 하나</translation>
    </message>
    <message>
        <source>, %1 left</source>
        <translation>, %1 남음</translation>
    </message>
    <message>
        <source>Hide the rows below the lanes</source>
        <translation>레인 아래 줄 숨기기</translation>
    </message>
    <message>
        <source>Show below each lane what is exchanged and copied</source>
        <translation>각 레인 아래에 교환과 복사 보이기</translation>
    </message>
    <message>
        <source>Show below each lane also its ranks</source>
        <translation>각 레인 아래에 랭크도 보이기</translation>
    </message>
    <message>
        <source>%1 of the %2 of %3</source>
        <translation>%3의 %2 중 %1</translation>
    </message>
    <message>
        <source>Device %1, %2</source>
        <translation>장치 %1, %2</translation>
    </message>
    <message>
        <source>Busy for %1, %2 % of the iteration</source>
        <translation>사용 시간 %1, 반복의 %2 %</translation>
    </message>
    <message>
        <source>The same passes at the same times as every rank of the lane</source>
        <translation>레인의 모든 랭크와 같은 시각에 같은 패스를 실행합니다</translation>
    </message>
    <message>
        <source>Bookmark: %1 to %2
Click to see it; M removes it then</source>
        <translation>책갈피: %1 ~ %2
눌러서 보기; 그다음 M 키로 삭제</translation>
    </message>
    <message>
        <source>M, Shift+M</source>
        <translation>M, Shift+M</translation>
    </message>
    <message>
        <source>bookmark that range or remove its bookmark; go to the next bookmark</source>
        <translation>그 범위에 책갈피를 두거나 지우기; 다음 책갈피로</translation>
    </message>
    <message>
        <source>In all ranges: %1.</source>
        <translation>모든 범위에 드는 실행: %1개.</translation>
    </message>
    <message>
        <source>Clear the ranges</source>
        <translation>범위 지우기</translation>
    </message>
    <message>
        <source>Choose ranges that two to six runs pass</source>
        <translation>실행 두 개에서 여섯 개가 드는 범위를 고르십시오</translation>
    </message>
    <message>
        <source>Compare the %1 runs</source>
        <translation>실행 %1개 비교</translation>
    </message>
    <message>
        <source>Copy picture</source>
        <translation>그림 복사</translation>
    </message>
    <message>
        <source>Device %1 is pinned to the top
Click, or press P, to let it scroll again</source>
        <translation>장치 %1이(가) 맨 위에 고정되어 있습니다
클릭하거나 P를 누르면 다시 스크롤됩니다</translation>
    </message>
    <message>
        <source>Drag along an axis to keep the runs in that range.</source>
        <translation>축을 따라 끌면 그 범위의 실행만 남습니다.</translation>
    </message>
    <message>
        <source>Draws these runs as lines through their figures, to find those that are good in several</source>
        <translation>이 실행들을 수치를 지나는 선으로 그려 여러 면에서 좋은 것을 찾습니다</translation>
    </message>
    <message>
        <source>Pin device %1 to the top (P)
It stays there while the other lanes scroll</source>
        <translation>장치 %1을(를) 맨 위에 고정(P)
다른 레인이 스크롤되어도 그대로 있습니다</translation>
    </message>
    <message>
        <source>Plot…</source>
        <translation>그래프…</translation>
    </message>
    <message>
        <source>Runs by their figures</source>
        <translation>수치로 본 실행</translation>
    </message>
    <message>
        <source>The first %1 of %2 runs of the table.</source>
        <translation>표의 실행 %2개 중 처음 %1개.</translation>
    </message>
    <message>
        <source>%1 runs.</source>
        <translation>실행 %1개.</translation>
    </message>
    <message>
        <source>These runs differ in nothing that is drawn here.</source>
        <translation>이 실행들은 여기에 그리는 것에서 차이가 없습니다.</translation>
    </message>
    <message>
        <source>Two runs and more are drawn here.</source>
        <translation>실행이 두 개 이상이면 여기에 그립니다.</translation>
    </message>
    <message>
        <source>pin the lane under the pointer to the top, or let it scroll again</source>
        <translation>포인터 아래 레인을 맨 위에 고정하거나 다시 스크롤되게 함</translation>
    </message>
    <message>
        <source>search: B 17, stage 3, device 2</source>
        <translation>찾기: B 17, stage 3, device 2</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>알 수 없음</translation>
    </message>
    <message>
        <source>Against %1: </source>
        <translation>%1와(과) 비교하면: </translation>
    </message>
    <message>
        <source>Operator %1: %2 of the pass (predicted)</source>
        <translation>연산자 %1: 패스 중 %2 (예측)</translation>
    </message>
    <message>
        <source>Logits</source>
        <translation>로짓</translation>
    </message>
    <message>
        <source>Kept</source>
        <translation>보관</translation>
    </message>
    <message>
        <source>exp(logits) of every token and word are kept until the gradient of the output layer</source>
        <translation>모든 토큰과 단어의 exp(로짓)을 출력 레이어의 기울기를 구할 때까지 보관합니다</translation>
    </message>
    <message>
        <source>Computed again</source>
        <translation>다시 계산</translation>
    </message>
    <message>
        <source>Only the statistics of each token are kept; the gradient takes one more product. The numbers are the same</source>
        <translation>토큰마다 통계만 보관하고 기울기에 곱셈이 한 번 더 듭니다. 결과의 수는 같습니다</translation>
    </message>
    <message>
        <source>&amp;Measure this computer</source>
        <translation>이 컴퓨터 측정(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Measure this computer again (equal passes differ by %1)</source>
        <translation>이 컴퓨터 다시 측정(&amp;M) (같은 패스의 차이 %1)</translation>
    </message>
    <message>
        <source>Measuring this computer…</source>
        <translation>이 컴퓨터를 측정하는 중…</translation>
    </message>
    <message>
        <source>This computer could not be measured. </source>
        <translation>이 컴퓨터를 측정하지 못했습니다. </translation>
    </message>
    <message>
        <source>A run is going on and would disturb the measurement. Stop it first (Shift+F5).</source>
        <translation>진행 중인 실행이 측정을 방해합니다. 먼저 중지하십시오(Shift+F5).</translation>
    </message>
    <message>
        <source>Times a few passes, about a second: predictions for this computer use them. Best with nothing else running</source>
        <translation>패스 몇 개의 시간을 약 1초 동안 잽니다. 이 컴퓨터에 대한 예측에 쓰입니다. 다른 작업이 없을 때 하는 것이 좋습니다</translation>
    </message>
    <message>
        <source>Device %1 holds the activations of at most %2</source>
        <translation>장치 %1은(는) 최대 %2의 활성값을 보관함</translation>
    </message>
    <message>
        <source>%1 microbatch</source>
        <translation>마이크로배치 %1개</translation>
    </message>
    <message>
        <source>Durations of the steps</source>
        <translation>스텝별 소요 시간</translation>
    </message>
    <message>
        <source>Step %1: %2</source>
        <translation>스텝 %1: %2</translation>
    </message>
    <message>
        <source>predicted %1</source>
        <translation>예측 %1</translation>
    </message>
    <message>
        <source>median %1</source>
        <translation>중앙값 %1</translation>
    </message>
    <message>
        <source>A dot a step, the first at the top; hollow: warm-up; shaded: the middle half of the others</source>
        <translation>점 하나가 한 스텝(첫 스텝이 맨 위). 빈 점: 워밍업. 음영: 나머지의 가운데 절반</translation>
    </message>
    <message>
        <source>A dot a step, the first at the top; shaded: the middle half</source>
        <translation>점 하나가 한 스텝(첫 스텝이 맨 위). 음영: 가운데 절반</translation>
    </message>
    <message>
        <source>runs: %1</source>
        <translation>실행: %1</translation>
    </message>
    <message>
        <source>Costs: %1</source>
        <translation>비용: %1</translation>
    </message>
    <message>
        <source>, typical of %1 steps</source>
        <translation>, 스텝 %1개의 전형</translation>
    </message>
    <message>
        <source>Typical: each pass at its median</source>
        <translation>전형: 각 패스의 중앙값</translation>
    </message>
    <message>
        <source>%1 with %2</source>
        <translation>%2을(를) 쓴 %1</translation>
    </message>
    <message>
        <source>Bubbles and loss</source>
        <translation>버블과 손실</translation>
    </message>
    <message>
        <source>Where each device waits, and why; loss of the run that is shown</source>
        <translation>각 장치가 어디서 왜 기다리는지, 그리고 보이는 실행의 손실</translation>
    </message>
    <message>
        <source>same time</source>
        <translation>같은 시간</translation>
    </message>
    <message>
        <source>%1 % time</source>
        <translation>시간 %1 %</translation>
    </message>
    <message>
        <source>same memory</source>
        <translation>같은 메모리</translation>
    </message>
    <message>
        <source>Searching schedules: %1 of %2 plans</source>
        <translation>스케줄 찾는 중: 계획 %2개 중 %1개</translation>
    </message>
    <message>
        <source>, the fastest %1</source>
        <translation>, 가장 빠른 것 %1</translation>
    </message>
    <message>
        <source>The plan was edited, so the search for a schedule has ended.</source>
        <translation>계획이 편집되어 스케줄 찾기를 끝냈습니다.</translation>
    </message>
    <message>
        <source>No schedule was found. </source>
        <translation>스케줄을 찾지 못했습니다. </translation>
    </message>
    <message>
        <source>None of %1 schedules is faster than this plan.</source>
        <translation>스케줄 %1개 중 이 계획보다 빠른 것은 없습니다.</translation>
    </message>
    <message>
        <source>%1, the fastest of %2 schedules: %3 instead of %4.</source>
        <translation>%1, 스케줄 %2개 중 가장 빠름: %4 대신 %3.</translation>
    </message>
    <message>
        <source>Use the fastest schedule</source>
        <translation>가장 빠른 스케줄 쓰기</translation>
    </message>
    <message>
        <source>Find the &amp;fastest schedule</source>
        <translation>가장 빠른 스케줄 찾기(&amp;F)</translation>
    </message>
    <message>
        <source>Tries every schedule with every vocabulary method, cut and number of chunks, and takes the fastest that fits. Undo takes it back.</source>
        <translation>모든 스케줄을 모든 어휘 방법, 레이어 나누기, 청크 수와 함께 시도하고, 들어가는 가장 빠른 것을 씁니다. 실행 취소로 되돌립니다.</translation>
    </message>
    <message>
        <source>finds the fastest schedule that fits</source>
        <translation>들어가는 가장 빠른 스케줄 찾기</translation>
    </message>
    <message>
        <source>39B GPT on 512 A100, in 3D</source>
        <translation>A100 512개의 39B GPT, 3D</translation>
    </message>
    <message>
        <source>Mixtral 8x7B on 32 H100</source>
        <translation>H100 32개의 Mixtral 8x7B</translation>
    </message>
    <message>
        <source>tensor ranks exchange</source>
        <translation>텐서 랭크 교환</translation>
    </message>
    <message>
        <source>context ranks exchange</source>
        <translation>컨텍스트 랭크 교환</translation>
    </message>
    <message>
        <source>expert ranks exchange</source>
        <translation>전문가 랭크 교환</translation>
    </message>
    <message>
        <source>replicas exchange</source>
        <translation>복제본 교환</translation>
    </message>
    <message>
        <source>gradients after the last pass</source>
        <translation>마지막 패스 뒤의 기울기</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>유휴</translation>
    </message>
    <message>
        <source>Where the time goes</source>
        <translation>시간이 쓰이는 곳</translation>
    </message>
    <message>
        <source>%1: %2 %3, %4 of the iteration</source>
        <translation>%1: %2 %3, 반복의 %4</translation>
    </message>
    <message>
        <source>capacity %1</source>
        <translation>용량 %1</translation>
    </message>
    <message>
        <source>%1, vocabulary %2: %3, on %4</source>
        <translation>%1, 어휘 %2: %3, %4</translation>
    </message>
    <message>
        <source>1024</source>
        <translation>1024</translation>
    </message>
    <message>
        <source>65536</source>
        <translation>65536</translation>
    </message>
    <message>
        <source>, which emulates %1 on processors: predictions do not count the conversions, so no error is shown.</source>
        <translation>, 프로세서에서 %1을(를) 에뮬레이션합니다. 예측은 변환을 세지 않으므로 오차를 표시하지 않습니다.</translation>
    </message>
    <message>
        <source>%1 is the nearest value with which the plan is valid.</source>
        <translation>%1은(는) 계획이 올바르게 되는 가장 가까운 값입니다.</translation>
    </message>
    <message>
        <source>Sets %1 to %2. Undo takes it back.</source>
        <translation>%1을(를) %2(으)로 정합니다. 실행 취소로 되돌립니다.</translation>
    </message>
    <message>
        <source>Reads the order from another file. Undo takes it back.</source>
        <translation>다른 파일에서 순서를 읽습니다. 실행 취소로 되돌립니다.</translation>
    </message>
    <message>
        <source>Click a fault to go to its place.</source>
        <translation>오류를 누르면 그 위치로 갑니다.</translation>
    </message>
    <message>
        <source>No plan to draw yet: it appears when the experiment is valid.</source>
        <translation>아직 그릴 계획이 없습니다. 실험이 올바르면 나타납니다.</translation>
    </message>
    <message>
        <source>%1 must be %2 to %3, not %4.</source>
        <translation>%1의 값은 %2~%3이어야 하며 %4일 수 없습니다.</translation>
    </message>
    <message>
        <source>Showing the last valid plan: %1.</source>
        <translation>마지막 올바른 계획을 표시 중: %1.</translation>
    </message>
    <message>
        <source>The schedule is invalid. %1</source>
        <translation>스케줄이 올바르지 않습니다. %1</translation>
    </message>
    <message>
        <source>1 more problem: %1</source>
        <translation>문제 1개 더: %1</translation>
    </message>
    <message>
        <source>%1 more problems: %2</source>
        <translation>문제 %1개 더: %2</translation>
    </message>
    <message>
        <source>Schedule and vocabulary layers</source>
        <translation>스케줄과 어휘 레이어</translation>
    </message>
    <message>
        <source>Sets schedule and vocabulary layers of this plan. Undo takes it back.</source>
        <translation>이 계획의 스케줄과 어휘 레이어를 정합니다. 실행 취소로 되돌립니다.</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>학습</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>설정</translation>
    </message>
    <message>
        <source>Errors: %1</source>
        <translation>오류: %1</translation>
    </message>
    <message>
        <source>(picture: %1 microbatches)</source>
        <translation>(그림: 마이크로배치 %1개)</translation>
    </message>
    <message>
        <source>&amp;Play</source>
        <translation>재생(&amp;P)</translation>
    </message>
    <message>
        <source>Morph</source>
        <translation>변형</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>뒤로</translation>
    </message>
    <message>
        <source>&amp;Previous</source>
        <translation>이전(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Next</source>
        <translation>다음(&amp;N)</translation>
    </message>
    <message>
        <source>This computer&apos;s GPU</source>
        <translation>이 컴퓨터의 GPU</translation>
    </message>
    <message>
        <source>&amp;Compare the runs</source>
        <translation>실행 비교(&amp;C)</translation>
    </message>
    <message>
        <source>The steps so far remain</source>
        <translation>지금까지의 스텝은 남습니다</translation>
    </message>
    <message>
        <source>Opens Compare with these runs, the first as the baseline</source>
        <translation>이 실행들을 비교에서 엽니다. 첫 번째가 기준입니다</translation>
    </message>
    <message>
        <source>%1 was not trained. %2</source>
        <translation>%1은(는) 학습되지 않았습니다. %2</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>다시 시도</translation>
    </message>
    <message>
        <source>%1 (run %2 of %3): </source>
        <translation>%1(실행 %2/%3): </translation>
    </message>
    <message>
        <source>%1: mean loss %2</source>
        <translation>%1: 평균 손실 %2</translation>
    </message>
    <message>
        <source>%1: mean loss %2, at every step that of %3</source>
        <translation>%1: 평균 손실 %2, 모든 스텝에서 %3과(와) 같음</translation>
    </message>
    <message>
        <source>%1: mean loss %2, at a step at most %3 from %4</source>
        <translation>%1: 평균 손실 %2, 한 스텝에서 %4과(와) 최대 %3 차이</translation>
    </message>
    <message>
        <source>&amp;Train again</source>
        <translation>다시 학습(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Train %1 runs</source>
        <translation>실행 %1개 학습(&amp;T)</translation>
    </message>
    <message>
        <source>These runs are in the table of runs.</source>
        <translation>이 실행들은 실행 표에 있습니다.</translation>
    </message>
    <message>
        <source>%1 steps each, on this computer</source>
        <translation>각 %1스텝, 이 컴퓨터에서</translation>
    </message>
    <message>
        <source>These runs turned out otherwise than the text says: %1.</source>
        <translation>이 실행들의 결과가 글과 다릅니다: %1.</translation>
    </message>
    <message>
        <source>, %1 of a rank at %2/s</source>
        <translation>, 랭크당 %1, 속도 %2/s</translation>
    </message>
    <message>
        <source>has %1 ranks, but a run has at most %2</source>
        <translation>랭크가 %1개인데 한 실행에는 많아야 %2개입니다</translation>
    </message>
    <message>
        <source>lower the degrees, or simulate the plan without training it</source>
        <translation>병렬 수를 줄이거나, 학습하지 말고 계획을 시뮬레이션하십시오</translation>
    </message>
    <message>
        <source>Operator %1: %2 of the pass (measured, typical of such passes)</source>
        <translation>연산자 %1: 패스 중 %2 (측정, 같은 종류 패스의 대표값)</translation>
    </message>
    <message>
        <source>× steps skipped: %1</source>
        <translation>× 건너뛴 스텝: %1</translation>
    </message>
    <message>
        <source> With %1 it would fit: %2, %3 (predicted).</source>
        <translation> %1(으)로 하면 들어갑니다: %2, %3 (예측).</translation>
    </message>
    <message>
        <source> %1 would fit: %2, %3 (predicted).</source>
        <translation> %1(으)로는 들어갑니다: %2, %3 (예측).</translation>
    </message>
    <message>
        <source> Nothing tried makes it fit: use more devices or tensor ranks, shorter sequences or fewer layers.</source>
        <translation> 시도한 것 중 메모리에 들어가는 것이 없습니다. 장치나 텐서 랭크를 늘리거나, 시퀀스를 줄이거나, 레이어를 줄이십시오.</translation>
    </message>
    <message>
        <source>%1 microbatches of %2</source>
        <translation>크기 %2의 마이크로배치 %1개</translation>
    </message>
    <message>
        <source>The devices are evenly loaded; they idle %1 of the time, above all while the pipeline fills and drains.</source>
        <translation>장치의 부하가 고릅니다. 시간의 %1 동안 유휴이며, 주로 파이프라인이 차고 비는 동안입니다.</translation>
    </message>
    <message>
        <source>The devices are evenly loaded; they idle %1 of the time, above all for messages and barriers.</source>
        <translation>장치의 부하가 고릅니다. 시간의 %1 동안 유휴이며, 주로 메시지와 배리어를 기다립니다.</translation>
    </message>
    <message>
        <source>The devices are evenly loaded; they idle %1 of the time, above all because stages are unequal.</source>
        <translation>장치의 부하가 고릅니다. 시간의 %1 동안 유휴이며, 주로 스테이지가 고르지 않기 때문입니다.</translation>
    </message>
    <message>
        <source>The devices are evenly loaded; they idle %1 of the time, above all for the vocabulary layers.</source>
        <translation>장치의 부하가 고릅니다. 시간의 %1 동안 유휴이며, 주로 어휘 레이어 때문입니다.</translation>
    </message>
    <message>
        <source>Averaging gradients over %1 replicas adds %2 after the last backward: %3 of the step.</source>
        <translation>복제본 %1개의 기울기 평균이 마지막 역전파 뒤에 %2을(를) 더합니다: 스텝의 %3.</translation>
    </message>
    <message>
        <source>Averaging gradients over %1 ranks adds %2 after the last backward: %3 of the step.</source>
        <translation>랭크 %1개의 기울기 평균이 마지막 역전파 뒤에 %2을(를) 더합니다: 스텝의 %3.</translation>
    </message>
    <message>
        <source>Peak memory of device %1</source>
        <translation>장치 %1의 최대 메모리</translation>
    </message>
    <message>
        <source>Machine busy</source>
        <translation>컴퓨터가 바빴음</translation>
    </message>
    <message>
        <source>baseline measured %1, run %2</source>
        <translation>기준의 측정값 %1, 실행 %2</translation>
    </message>
    <message>
        <source>%1, run %2</source>
        <translation>%1, 실행 %2</translation>
    </message>
    <message>
        <source>As SVG animation, which browsers play, as GIF, or as frames</source>
        <translation>브라우저가 재생하는 SVG 애니메이션, GIF 또는 프레임</translation>
    </message>
    <message>
        <source>As SVG animation, which browsers play, or as frames</source>
        <translation>브라우저가 재생하는 SVG 애니메이션 또는 프레임</translation>
    </message>
    <message>
        <source>Folder of numbered frames (*.png)</source>
        <translation>번호가 붙은 프레임 폴더 (*.png)</translation>
    </message>
    <message>
        <source>The two plans have %L1 passes; up to %L2 can be exported. Use fewer microbatches or devices.</source>
        <translation>두 계획의 패스가 %L1개입니다. 최대 %L2개까지 내보낼 수 있습니다. 마이크로배치나 장치를 줄이십시오.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
    <message>
        <source>Click sorts the runs; right click chooses columns</source>
        <translation>클릭하면 실행을 정렬하고, 마우스 오른쪽 버튼으로 열을 고릅니다</translation>
    </message>
    <message>
        <source>Wheel, Ctrl+wheel; W S</source>
        <translation>휠, Ctrl+휠; W S</translation>
    </message>
    <message>
        <source>Ctrl+1 to Ctrl+4</source>
        <translation>Ctrl+1 ~ Ctrl+4</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>Space</translation>
    </message>
    <message>
        <source>%1, scene %2</source>
        <translation>%1, 장면 %2</translation>
    </message>
    <message>
        <source>Copy as text</source>
        <translation>텍스트로 복사</translation>
    </message>
    <message>
        <source>total</source>
        <translation>합계</translation>
    </message>
    <message>
        <source>at the peak, %1</source>
        <translation>최대일 때, %1</translation>
    </message>
    <message>
        <source>at %1</source>
        <translation>%1 시점</translation>
    </message>
    <message>
        <source>idle of device %1</source>
        <translation>장치 %1의 유휴</translation>
    </message>
    <message>
        <source>Operator %1: %2 of the overlapped pair (predicted)</source>
        <translation>연산자 %1: 겹친 쌍 중 %2 (예측)</translation>
    </message>
    <message>
        <source>Operator %1: %2 of the overlapped pair (measured, typical of such passes)</source>
        <translation>연산자 %1: 겹친 쌍 중 %2 (측정, 같은 종류 패스의 대표값)</translation>
    </message>
    <message>
        <source>A device has one stage: all its F in a row, then all its B.</source>
        <translation>장치마다 스테이지가 하나입니다. 모든 F가 이어지고 그다음 모든 B가 옵니다.</translation>
    </message>
    <message>
        <source>A device has one stage: F until the first gradient arrives, then B and F in turn.</source>
        <translation>장치마다 스테이지가 하나입니다. 첫 기울기가 올 때까지 F, 그다음 B와 F가 번갈아 옵니다.</translation>
    </message>
    <message>
        <source>A device has one stage: as 1F1B, with about twice as many F before the first B.</source>
        <translation>장치마다 스테이지가 하나입니다. 1F1B와 같지만 첫 B 앞의 F가 약 두 배입니다.</translation>
    </message>
    <message>
        <source>Each chunk (a, b, …) is a part of a device&apos;s layers; a microbatch passes all devices once for each chunk.</source>
        <translation>청크(a, b, …)는 각각 장치 레이어의 일부입니다. 마이크로배치는 청크마다 모든 장치를 한 번 지납니다.</translation>
    </message>
    <message>
        <source>Each chunk (a, b, …) is a part of a device&apos;s layers; all microbatches pass one chunk before the next begins.</source>
        <translation>청크(a, b, …)는 각각 장치 레이어의 일부입니다. 모든 마이크로배치가 한 청크를 지난 뒤 다음 청크가 시작됩니다.</translation>
    </message>
    <message>
        <source>A device has one stage: I sends the gradient on, and W follows later, in the gaps of 1F1B.</source>
        <translation>장치마다 스테이지가 하나입니다. I가 기울기를 보내고, W는 나중에 1F1B의 빈틈에 옵니다.</translation>
    </message>
    <message>
        <source>A device has one stage: twice as many F come first, I sends the gradient on, and W fills the gaps.</source>
        <translation>장치마다 스테이지가 하나입니다. F가 두 배 먼저 오고, I가 기울기를 보내며, W가 빈틈을 채웁니다.</translation>
    </message>
    <message>
        <source>Each chunk (a, b, …) is a part of a device&apos;s layers; I sends the gradient on, and W follows later.</source>
        <translation>청크(a, b, …)는 각각 장치 레이어의 일부입니다. I가 기울기를 보내고 W는 나중에 옵니다.</translation>
    </message>
    <message>
        <source>Each chunk (a, b, …) is a part of a device&apos;s layers; W directly follows its I.</source>
        <translation>청크(a, b, …)는 각각 장치 레이어의 일부입니다. W는 자신의 I 바로 뒤에 옵니다.</translation>
    </message>
    <message>
        <source>A device has one stage: durations and the memory limit decide where its F, I and W are.</source>
        <translation>장치마다 스테이지가 하나입니다. 소요 시간과 메모리 한도가 F, I, W의 위치를 정합니다.</translation>
    </message>
    <message>
        <source>Each chunk is half of a device&apos;s layers: a on the way down the devices, b on the way back up. No memory beyond 1F1B&apos;s.</source>
        <translation>청크는 각각 장치 레이어의 절반입니다. a는 장치를 내려가며, b는 올라오며 지납니다. 1F1B보다 메모리를 더 쓰지 않습니다.</translation>
    </message>
    <message>
        <source>Each chunk is half of a device&apos;s layers: a on the way down the devices, b on the way back up. About half as many are held as in 1F1B.</source>
        <translation>청크는 각각 장치 레이어의 절반입니다. a는 장치를 내려가며, b는 올라오며 지납니다. 1F1B의 약 절반을 보관합니다.</translation>
    </message>
    <message>
        <source>Each chunk is half of a device&apos;s layers: a on the way down the devices, b on the way back up. About a third as many are held as in 1F1B.</source>
        <translation>청크는 각각 장치 레이어의 절반입니다. a는 장치를 내려가며, b는 올라오며 지납니다. 1F1B의 약 3분의 1을 보관합니다.</translation>
    </message>
    <message>
        <source>Each chunk is half of a device&apos;s layers: a on the way down the devices, b on the way back up. The durations decide the order.</source>
        <translation>청크는 각각 장치 레이어의 절반입니다. a는 장치를 내려가며, b는 올라오며 지납니다. 소요 시간이 순서를 정합니다.</translation>
    </message>
    <message>
        <source>Each chunk is half of a device&apos;s layers: a on the way down the devices, b on the way back up. B is whole.</source>
        <translation>청크는 각각 장치 레이어의 절반입니다. a는 장치를 내려가며, b는 올라오며 지납니다. B는 나누지 않습니다.</translation>
    </message>
    <message>
        <source>A device has one stage: as 1F1B, and between its passes all devices run the vocabulary layers of one microbatch at once.</source>
        <translation>장치마다 스테이지가 하나입니다. 1F1B와 같고, 그 사이에 모든 장치가 한 마이크로배치의 어휘 레이어를 동시에 실행합니다.</translation>
    </message>
    <message>
        <source>A device has two stages, one of each copy of the model; a box split in two is an F and a B at the same time.</source>
        <translation>장치마다 모델 사본별로 하나씩 스테이지가 둘입니다. 둘로 나뉜 상자는 동시에 실행되는 F와 B입니다.</translation>
    </message>
    <message>
        <source>Each chunk is half of a device&apos;s layers: a on the way down the devices, b on the way back up. A box split in two is an F and a B at the same time.</source>
        <translation>청크는 각각 장치 레이어의 절반입니다. a는 장치를 내려가며, b는 올라오며 지납니다. 둘로 나뉜 상자는 동시에 실행되는 F와 B입니다.</translation>
    </message>
    <message>
        <source>A device has two stages, one of each copy of the model; half of the microbatches enter at either end.</source>
        <translation>장치마다 모델 사본별로 하나씩 스테이지가 둘입니다. 마이크로배치의 절반씩 양 끝에서 들어옵니다.</translation>
    </message>
    <message>
        <source>Each chunk (a, b, …) is a part of a device&apos;s layers: a on the way down the devices, b on the way up, and so on in waves.</source>
        <translation>청크(a, b, …)는 각각 장치 레이어의 일부입니다. a는 장치를 내려가며, b는 올라오며, 이렇게 물결처럼 지납니다.</translation>
    </message>
    <message>
        <source>A device has one stage, and a pass has one slice of a sequence: 3.1 is slice 1 of microbatch 3.</source>
        <translation>장치마다 스테이지가 하나이고, 패스 하나는 시퀀스의 조각 하나입니다. 3.1은 마이크로배치 3의 조각 1입니다.</translation>
    </message>
    <message>
        <source>A device has one stage, and a pass has one slice of a sequence: 3.1 is slice 1 of microbatch 3. W follows later than I.</source>
        <translation>장치마다 스테이지가 하나이고, 패스 하나는 시퀀스의 조각 하나입니다. 3.1은 마이크로배치 3의 조각 1입니다. W는 I보다 나중에 옵니다.</translation>
    </message>
    <message>
        <source>A device has one stage: as 1F1B, and each B ends with an update of the weights.</source>
        <translation>장치마다 스테이지가 하나입니다. 1F1B와 같고, B마다 가중치를 갱신하며 끝납니다.</translation>
    </message>
    <message>
        <source>A device has one stage: as 1F1B; the weights of a step are one update behind, so two versions are held.</source>
        <translation>장치마다 스테이지가 하나입니다. 1F1B와 같고, 한 스텝의 가중치는 한 번 늦은 것이어서 두 벌을 보관합니다.</translation>
    </message>
    <message>
        <source>The order of each device as you edit it: E lets you drag passes, and the text below the timeline lists them.</source>
        <translation>직접 편집한 각 장치의 순서입니다. E를 누르면 패스를 끌 수 있고, 타임라인 아래 텍스트에 나열됩니다.</translation>
    </message>
    <message>
        <source>What next: </source>
        <translation>다음에 할 일: </translation>
    </message>
    <message>
        <source>Go to %1 on device %2</source>
        <translation>장치 %2의 %1(으)로 가기</translation>
    </message>
    <message>
        <source>Of what is needed here, that pass finished last</source>
        <translation>여기에 필요한 것 중 그 패스가 마지막에 끝났습니다</translation>
    </message>
    <message>
        <source>Show the critical path</source>
        <translation>임계 경로 표시</translation>
    </message>
    <message>
        <source>The passes that set the time of the iteration</source>
        <translation>반복 시간을 결정하는 패스</translation>
    </message>
    <message>
        <source> · capacity %1</source>
        <translation> · 용량 %1</translation>
    </message>
    <message>
        <source>Same mathematics</source>
        <translation>수학은 같음</translation>
    </message>
    <message>
        <source>Other mathematics</source>
        <translation>수학이 다름</translation>
    </message>
    <message>
        <source>Every number of the training stays the same</source>
        <translation>학습의 모든 수가 그대로입니다</translation>
    </message>
    <message>
        <source>The numbers are rounded differently</source>
        <translation>수가 다르게 반올림됩니다</translation>
    </message>
    <message>
        <source>The model trains differently: compare the loss of two runs</source>
        <translation>모델이 다르게 학습됩니다: 두 실행의 손실을 비교하십시오</translation>
    </message>
    <message>
        <source>layers %1</source>
        <translation>레이어 %1</translation>
    </message>
    <message>
        <source>evenly cut layers</source>
        <translation>고르게 나눈 레이어</translation>
    </message>
    <message>
        <source>Sets the layers of each stage of this plan. Undo takes it back.</source>
        <translation>이 계획의 스테이지별 레이어 수를 정합니다. 실행 취소로 되돌립니다.</translation>
    </message>
    <message>
        <source>PNG picture (*.png)</source>
        <translation>PNG 그림 (*.png)</translation>
    </message>
    <message>
        <source>SVG drawing (*.svg)</source>
        <translation>SVG 그림 (*.svg)</translation>
    </message>
    <message>
        <source>PDF page (*.pdf)</source>
        <translation>PDF 페이지 (*.pdf)</translation>
    </message>
    <message>
        <source>CSV table (*.csv)</source>
        <translation>CSV 표 (*.csv)</translation>
    </message>
    <message>
        <source>JSON document (*.json)</source>
        <translation>JSON 문서 (*.json)</translation>
    </message>
    <message>
        <source>Each chunk (a, b, …) is a part of a device&apos;s layers and has its turn in every round; the first half of the stages wait on the host.</source>
        <translation>청크(a, b, …)는 각각 장치 레이어의 일부이며 매 회차마다 한 번씩 실행됩니다. 앞쪽 절반 스테이지의 활성값은 호스트에서 기다립니다.</translation>
    </message>
    <message>
        <source>Each chunk (a, b, …) is a part of a device&apos;s layers and has its turn in every round; all of them wait on the host.</source>
        <translation>청크(a, b, …)는 각각 장치 레이어의 일부이며 매 회차마다 한 번씩 실행됩니다. 모든 활성값은 호스트에서 기다립니다.</translation>
    </message>
    <message>
        <source>several chunks a device; half of the stages offload, those that keep longest: about a quarter of 1F1B&apos;s memory</source>
        <translation>장치마다 여러 청크. 가장 오래 보관하는 절반의 스테이지를 오프로드. 메모리는 1F1B의 약 4분의 1</translation>
    </message>
    <message>
        <source>several chunks a device, all offloaded: the memory of a few chunks, whatever the number of devices</source>
        <translation>장치마다 여러 청크, 모두 오프로드. 장치 수와 관계없이 청크 몇 개의 메모리</translation>
    </message>
    <message>
        <source>Traces (*.json *.csv);;All files (*)</source>
        <translation>트레이스 (*.json *.csv);;모든 파일 (*)</translation>
    </message>
    <message>
        <source>Forwards</source>
        <translation>순전파</translation>
    </message>
    <message>
        <source>Backwards</source>
        <translation>역전파</translation>
    </message>
    <message>
        <source>Messages of forwards</source>
        <translation>순전파의 메시지</translation>
    </message>
    <message>
        <source>Messages of backwards</source>
        <translation>역전파의 메시지</translation>
    </message>
    <message>
        <source>Gathers of parameters</source>
        <translation>파라미터 수집</translation>
    </message>
    <message>
        <source>Reductions of gradients</source>
        <translation>기울기 축약</translation>
    </message>
    <message>
        <source>Garbage collection</source>
        <translation>가비지 수집</translation>
    </message>
    <message>
        <source>Reductions of norm layers</source>
        <translation>정규화 레이어의 축약</translation>
    </message>
    <message>
        <source>Reductions of the embedding</source>
        <translation>임베딩의 축약</translation>
    </message>
    <message>
        <source>Reductions after the passes</source>
        <translation>패스 뒤의 축약</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>기울기 노름</translation>
    </message>
    <message>
        <source>Messages that end before they begin, by the clocks of their workers: %1.</source>
        <translation>워커의 시계로 볼 때 시작하기 전에 끝나는 메시지: %1개.</translation>
    </message>
    <message>
        <source>Stragglers of %1</source>
        <translation>%1의 스트래글러</translation>
    </message>
    <message>
        <source>What if a part were fixed</source>
        <translation>한 부분을 고친다면</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>부분</translation>
    </message>
    <message>
        <source>Step if fixed</source>
        <translation>고쳤을 때의 스텝</translation>
    </message>
    <message>
        <source>Recovers</source>
        <translation>되찾는 비율</translation>
    </message>
    <message>
        <source>Slow-down alone</source>
        <translation>단독 지연</translation>
    </message>
    <message>
        <source>The part takes the mean of all, the others what they took</source>
        <translation>이 부분은 전체의 평균만큼, 나머지는 실제로 걸린 만큼 걸립니다</translation>
    </message>
    <message>
        <source>Share of the time that stragglers lose</source>
        <translation>스트래글러 때문에 잃은 시간에서 차지하는 비율</translation>
    </message>
    <message>
        <source>The step if only this part took what it took, relative to the even step</source>
        <translation>이 부분만 실제로 걸린 만큼 걸릴 때의 스텝을 고른 스텝과 견준 값</translation>
    </message>
    <message>
        <source>Slowest workers</source>
        <translation>가장 느린 워커</translation>
    </message>
    <message>
        <source>Operations</source>
        <translation>연산</translation>
    </message>
    <message>
        <source>Replica %1</source>
        <translation>복제본 %1</translation>
    </message>
    <message>
        <source>Device %1 of replica %2</source>
        <translation>복제본 %2의 장치 %1</translation>
    </message>
    <message>
        <source>A step takes %1 measured, %2 replayed, and %3 if all parts of a kind take the same time.</source>
        <translation>한 스텝은 측정하면 %1, 재생하면 %2, 같은 종류의 부분이 모두 같은 시간이 걸리면 %3입니다.</translation>
    </message>
    <message>
        <source>Stragglers make it %1 times as long. Fixing the last device recovers %2 of the lost time, fixing the slowest %3 of %4 workers %5.</source>
        <translation>스트래글러 때문에 %1배로 길어집니다. 마지막 장치를 고치면 잃은 시간의 %2, 워커 %4개 중 가장 느린 %3개를 고치면 %5만큼 되찾습니다.</translation>
    </message>
    <message>
        <source>Its stragglers lose no time.</source>
        <translation>스트래글러 때문에 잃는 시간이 없습니다.</translation>
    </message>
    <message>
        <source>%1 devices hold the others up: </source>
        <translation>장치 %1개가 다른 장치를 막습니다: </translation>
    </message>
    <message>
        <source>Devices %1 hold the others up: </source>
        <translation>장치 %1이(가) 다른 장치를 막습니다: </translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <translation>%1 및 %2</translation>
    </message>
    <message>
        <source>%1 of their work is %2; </source>
        <translation>작업의 %1이(가) %2; </translation>
    </message>
    <message>
        <source>they have the most work; </source>
        <translation>작업이 가장 많음; </translation>
    </message>
    <message>
        <source>%1 was not written. %2</source>
        <translation>%1을(를) 쓰지 않았습니다. %2</translation>
    </message>
    <message>
        <source>The output layer computes its gradient for a part of the tokens at a time, and no logits are kept. The sums over the tokens are rounded differently</source>
        <translation>출력 레이어가 한 번에 토큰 일부의 기울기를 계산하고 로짓을 보관하지 않습니다. 토큰에 대한 합은 다르게 반올림됩니다</translation>
    </message>
    <message>
        <source>2 chunks</source>
        <translation>청크 2개</translation>
    </message>
    <message>
        <source>4 chunks</source>
        <translation>청크 4개</translation>
    </message>
    <message>
        <source>8 chunks</source>
        <translation>청크 8개</translation>
    </message>
    <message>
        <source>16 chunks</source>
        <translation>청크 16개</translation>
    </message>
    <message>
        <source>64 chunks</source>
        <translation>청크 64개</translation>
    </message>
    <message>
        <source>1 chunk</source>
        <translation>청크 1개</translation>
    </message>
    <message>
        <source>%1 chunks</source>
        <translation>청크 %1개</translation>
    </message>
    <message>
        <source>is %1, but a microbatch has %2 tokens on a rank</source>
        <translation>값이 %1이지만 한 랭크의 마이크로배치에는 토큰이 %2개 있습니다</translation>
    </message>
    <message>
        <source>is %1, but there are 1 to %2 chunks</source>
        <translation>값이 %1이지만 청크는 1~%2개입니다</translation>
    </message>
    <message>
        <source>is %1, without the number of chunks</source>
        <translation>값이 %1이며 청크 수가 없습니다</translation>
    </message>
    <message>
        <source>choose %1 or fewer chunks</source>
        <translation>청크를 %1개 이하로 하십시오</translation>
    </message>
    <message>
        <source>No logits are kept: a whole output layer does all of its work in the backward</source>
        <translation>로짓을 보관하지 않습니다: 나누지 않은 출력 레이어는 모든 계산을 역전파에서 합니다</translation>
    </message>
    <message>
        <source>Iterations</source>
        <translation>반복</translation>
    </message>
    <message>
        <source>Consecutive steps in the timeline; asynchronous families do not drain between them.</source>
        <translation>타임라인에 이어지는 스텝 수. 비동기 계열은 스텝 사이에 파이프라인을 비우지 않습니다.</translation>
    </message>
    <message>
        <source>Iteration %1 of %2</source>
        <translation>반복 %2회 중 %1번째</translation>
    </message>
    <message>
        <source>Weights: version %1</source>
        <translation>가중치: 버전 %1</translation>
    </message>
    <message>
        <source>a draw of the jitter is of one step</source>
        <translation>지터의 추출 한 번은 한 스텝에 대한 것입니다</translation>
    </message>
    <message>
        <source>only one step in several ends with an average, and the steps of a timeline are equal</source>
        <translation>여러 스텝 중 하나만 평균으로 끝나는데 타임라인의 스텝은 모두 같습니다</translation>
    </message>
    <message>
        <source>choose 1, or parallel.sync_every 1</source>
        <translation>1을 고르거나 parallel.sync_every를 1로 하십시오</translation>
    </message>
    <message>
        <source>the gradient of a tied table is the sum of two devices&apos;, which meet at the end of a step only</source>
        <translation>공유하는 표의 기울기는 두 장치의 합이며, 두 장치는 스텝 끝에서만 만납니다</translation>
    </message>
    <message>
        <source>the routers of experts are counted and balanced at the end of a step</source>
        <translation>전문가의 라우터는 스텝 끝에서 집계되고 균형이 맞춰집니다</translation>
    </message>
    <message>
        <source>devices update their weights before the others know their part of the norm</source>
        <translation>장치는 다른 장치들이 노름에서 자기 몫을 알기 전에 가중치를 갱신합니다</translation>
    </message>
    <message>
        <source>devices update their weights before the others know whether a gradient overflows</source>
        <translation>장치는 다른 장치들이 기울기가 넘치는지 알기 전에 가중치를 갱신합니다</translation>
    </message>
    <message>
        <source>the stages of a device would be updated at different times</source>
        <translation>한 장치의 스테이지들이 서로 다른 때에 갱신됩니다</translation>
    </message>
    <message>
        <source>choose 1, or untied weights</source>
        <translation>1을 고르거나 가중치를 공유하지 마십시오</translation>
    </message>
    <message>
        <source>choose 1, or no clip</source>
        <translation>1을 고르거나 기울기 자르기를 쓰지 마십시오</translation>
    </message>
    <message>
        <source>choose 1, or bf16</source>
        <translation>1을 고르거나 bf16을 쓰십시오</translation>
    </message>
    <message>
        <source>choose 1, or one stage for each device</source>
        <translation>1을 고르거나 장치마다 스테이지를 하나만 두십시오</translation>
    </message>
    <message>
        <source>is %1, but %2 steps run without a drain in between</source>
        <translation>값이 %1이지만 사이에 파이프라인을 비우지 않고 스텝 %2개가 함께 실행됩니다</translation>
    </message>
    <message>
        <source>is %1, but %2 microbatches on %3 stages allow %4 iterations</source>
        <translation>값이 %1이지만 스테이지 %3개에서 마이크로배치 %2개면 반복은 %4회까지 가능합니다</translation>
    </message>
    <message>
        <source>lower one of them</source>
        <translation>둘 중 하나를 줄이십시오</translation>
    </message>
    <message>
        <source>is %1, but the order that is given has %2</source>
        <translation>값이 %1이지만 주어진 순서에는 %2입니다</translation>
    </message>
    <message>
        <source>is %1, but the steps of the order that is given differ from each other</source>
        <translation>값이 %1이지만 주어진 순서의 스텝들이 서로 다릅니다</translation>
    </message>
    <message>
        <source>give one step, without iterations</source>
        <translation>iterations 없이 한 스텝만 주십시오</translation>
    </message>
    <message>
        <source>orders of several iterations cannot be edited</source>
        <translation>여러 반복의 순서는 편집할 수 없습니다</translation>
    </message>
    <message>
        <source> a step</source>
        <translation> (스텝당)</translation>
    </message>
    <message>
        <source>%1 of %2 steps</source>
        <translation>%1 (%2스텝)</translation>
    </message>
    <message>
        <source>
The bubble is that of all steps; between their fill and drain it is %1.</source>
        <translation>
버블은 모든 스텝의 값입니다. 채우기와 비우기 사이에서는 %1입니다.</translation>
    </message>
    <message>
        <source>it counts the work of all layers as equal</source>
        <translation>모든 레이어의 작업량을 같게 봅니다</translation>
    </message>
    <message>
        <source>choose another method, or give the layers of each stage</source>
        <translation>다른 방법을 선택하거나 스테이지별 레이어 수를 지정하십시오</translation>
    </message>
    <message>
        <source>latent attention has no kernels yet</source>
        <translation>잠재 어텐션의 커널이 아직 없습니다</translation>
    </message>
    <message>
        <source>only flash attention on whole sequences and all heads is modelled</source>
        <translation>전체 시퀀스와 모든 헤드에 대한 flash 어텐션만 모델링합니다</translation>
    </message>
    <message>
        <source>choose 1 tensor and context rank, and attention flash</source>
        <translation>텐서 랭크 1, 컨텍스트 랭크 1, 어텐션 flash를 선택하십시오</translation>
    </message>
    <message>
        <source>its methods give every replica the whole sum, of which ZeRO-2 and 3 keep a part</source>
        <translation>압축 방법은 모든 복제본에 전체 합을 주지만 ZeRO-2와 ZeRO-3은 그 일부만 보관합니다</translation>
    </message>
    <message>
        <source>choose none, or zero 0 or 1</source>
        <translation>none 또는 zero 0이나 1을 선택하십시오</translation>
    </message>
    <message>
        <source>groups of replicas would need a second residual for the sums of a group</source>
        <translation>복제본 그룹에는 그룹의 합에 대한 둘째 잔차가 필요합니다</translation>
    </message>
    <message>
        <source>choose none, or shard over all replicas (shard_replicas 0)</source>
        <translation>none을 선택하거나 모든 복제본에 나누십시오(shard_replicas 0)</translation>
    </message>
    <message>
        <source>choose none, or a model without experts</source>
        <translation>none 또는 전문가가 없는 모델을 선택하십시오</translation>
    </message>
    <message>
        <source>what a mixture of experts keeps has routes and rows that a run does not pack yet</source>
        <translation>전문가 혼합이 보관하는 것에는 실행이 아직 압축하지 못하는 경로와 행이 있습니다</translation>
    </message>
    <message>
        <source>choose same, or a model without experts</source>
        <translation>same 또는 전문가가 없는 모델을 선택하십시오</translation>
    </message>
    <message>
        <source>choose gis, or leave what_if.jitter out</source>
        <translation>gis를 선택하거나 what_if.jitter를 비워 두십시오</translation>
    </message>
    <message>
        <source>tensor ranks do not yet share the keys of slices</source>
        <translation>텐서 랭크는 아직 조각의 키를 나누지 못합니다</translation>
    </message>
    <message>
        <source>choose 1, or only predict the plan</source>
        <translation>1을 선택하거나 계획을 예측만 하십시오</translation>
    </message>
    <message>
        <source>the loss is not finite in step %1 of %2, microbatch %3, on device %4, in pass %5: training diverged</source>
        <translation>스텝 %1/%2, 마이크로배치 %3, 장치 %4의 패스 %5에서 손실이 유한하지 않습니다: 학습이 발산했습니다</translation>
    </message>
    <message>
        <source>the loss is not finite in step %1 of %2, microbatch %3, on device %4: training diverged</source>
        <translation>스텝 %1/%2, 마이크로배치 %3, 장치 %4에서 손실이 유한하지 않습니다: 학습이 발산했습니다</translation>
    </message>
    <message>
        <source>the loss is not finite, microbatch %1, on device %2: training diverged</source>
        <translation>마이크로배치 %1, 장치 %2에서 손실이 유한하지 않습니다: 학습이 발산했습니다</translation>
    </message>
    <message>
        <source>lower the learning rate (it is %1) or limit the gradient&apos;s norm with clip</source>
        <translation>학습률(현재 %1)을 낮추거나 clip으로 기울기의 노름을 제한하십시오</translation>
    </message>
    <message>
        <source>the state before that step is in %1</source>
        <translation>그 스텝 이전의 상태는 %1에 있습니다</translation>
    </message>
    <message>
        <source>gradients overflow fp16 in step %1 although the loss scale is 1: training diverged</source>
        <translation>손실 스케일이 1인데도 스텝 %1에서 기울기가 fp16을 넘칩니다: 학습이 발산했습니다</translation>
    </message>
    <message>
        <source>lower the learning rate, or choose bf16</source>
        <translation>학습률을 낮추거나 bf16을 선택하십시오</translation>
    </message>
    <message>
        <source>device %1 in step %2 of %3, pass %4 ran out of memory</source>
        <translation>장치 %1이(가) 스텝 %2/%3의 패스 %4에서 메모리가 부족해졌습니다</translation>
    </message>
    <message>
        <source>device %1 in step %2 of %3, pass %4 stopped: %5</source>
        <translation>장치 %1이(가) 스텝 %2/%3의 패스 %4에서 멈췄습니다: %5</translation>
    </message>
    <message>
        <source>device %1 ran out of memory</source>
        <translation>장치 %1의 메모리가 부족해졌습니다</translation>
    </message>
    <message>
        <source>device %1 stopped: %2</source>
        <translation>장치 %1이(가) 멈췄습니다: %2</translation>
    </message>
    <message>
        <source>lower model.hidden, model.sequence or parallel.microbatch_size</source>
        <translation>model.hidden, model.sequence 또는 parallel.microbatch_size를 줄이십시오</translation>
    </message>
    <message>
        <source>the machine has no more memory for this run</source>
        <translation>컴퓨터에 이 실행을 위한 메모리가 더 없습니다</translation>
    </message>
    <message>
        <source>lower model.layers, model.hidden, model.vocabulary_size or parallel.microbatch_size</source>
        <translation>model.layers, model.hidden, model.vocabulary_size 또는 parallel.microbatch_size를 줄이십시오</translation>
    </message>
    <message>
        <source>lower model.layers, model.hidden, model.vocabulary_size or parallel.microbatch_size, or choose --recompute full</source>
        <translation>model.layers, model.hidden, model.vocabulary_size 또는 parallel.microbatch_size를 줄이거나 --recompute full을 선택하십시오</translation>
    </message>
    <message>
        <source>the run needs %1 of memory, most of it on device %2 with %3, but only %4 are free: %5 are missing</source>
        <translation>실행에 메모리 %1이(가) 필요하고 가장 많은 장치 %2에 %3이(가) 필요한데 남은 것은 %4뿐입니다: %5 부족</translation>
    </message>
    <message>
        <source>%1 would fit, with %2 in all and %3 on a device</source>
        <translation>%1(으)로 하면 들어갑니다. 모두 %2, 장치에 %3입니다</translation>
    </message>
    <message>
        <source>the least is %1, with %2</source>
        <translation>가장 적은 것은 %2일 때의 %1입니다</translation>
    </message>
    <message>
        <source>lower parallel.microbatches (with so many, all messages of a step are counted) or the model size</source>
        <translation>parallel.microbatches(이렇게 많으면 한 스텝의 모든 메시지를 셉니다)나 모델 크기를 줄이십시오</translation>
    </message>
    <message>
        <source>lower parallel.replicas, parallel.microbatches or the model size</source>
        <translation>parallel.replicas, parallel.microbatches 또는 모델 크기를 줄이십시오</translation>
    </message>
    <message>
        <source>device %1 needs %2, %3 more than the limit of %4</source>
        <translation>장치 %1에는 %2이(가) 필요하며 한도 %4보다 %3 많습니다</translation>
    </message>
    <message>
        <source>a node has %1 for offloaded activations, but they need %2</source>
        <translation>노드에는 오프로드한 활성값을 둘 %1이(가) 있는데 %2이(가) 필요합니다</translation>
    </message>
    <message>
        <source>raise it, or lower --offload (it is %1)</source>
        <translation>값을 늘리거나 --offload(현재 %1)를 줄이십시오</translation>
    </message>
    <message>
        <source>needs the speed of the link to the host, which these costs do not give</source>
        <translation>호스트로 가는 링크의 속도가 필요한데 이 비용에는 없습니다</translation>
    </message>
    <message>
        <source>give --host-bandwidth, or OFF and ON in --uniform</source>
        <translation>--host-bandwidth를 지정하거나 --uniform에 OFF와 ON을 지정하십시오</translation>
    </message>
    <message>
        <source>the ranks on GPU %1 (%2), %3 of them, take %4, CUDA&apos;s code about %5, but only %6 are free</source>
        <translation>GPU %1(%2)의 랭크 %3개에 %4, CUDA 코드에 약 %5이(가) 필요한데 남은 것은 %6뿐입니다</translation>
    </message>
    <message>
        <source>the run stopped: %1</source>
        <translation>실행이 멈췄습니다: %1</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>메모리가 부족합니다</translation>
    </message>
    <message>
        <source>end other programs, raise the limit (`ulimit -v`) or use a smaller plan</source>
        <translation>다른 프로그램을 끝내거나, 한도(`ulimit -v`)를 늘리거나, 더 작은 계획을 쓰십시오</translation>
    </message>
    <message>
        <source>the system refuses another thread</source>
        <translation>시스템이 스레드를 더 허용하지 않습니다</translation>
    </message>
    <message>
        <source>end other programs or raise the limits (`ulimit -u`, `ulimit -v`)</source>
        <translation>다른 프로그램을 끝내거나 한도(`ulimit -u`, `ulimit -v`)를 늘리십시오</translation>
    </message>
    <message>
        <source>matrix products on %1 at once need %2 of address space, which the system refuses</source>
        <translation>%1에서 동시에 하는 행렬 곱에 주소 공간 %2이(가) 필요한데 시스템이 허용하지 않습니다</translation>
    </message>
    <message>
        <source>raise the limit (`ulimit -v`), end other programs, or use fewer devices</source>
        <translation>한도(`ulimit -v`)를 늘리거나, 다른 프로그램을 끝내거나, 장치를 줄이십시오</translation>
    </message>
    <message>
        <source>the devices wait for each other after %1 of %2 passes: device %3 waits at position %4 (%5) for %6</source>
        <translation>패스 %2개 중 %1개 뒤에 장치들이 서로 기다립니다: 장치 %3이(가) 위치 %4(%5)에서 %6을(를) 기다립니다</translation>
    </message>
    <message>
        <source>device %1 waits at position %2 (%3) for %4</source>
        <translation>장치 %1이(가) 위치 %2(%3)에서 %4을(를) 기다립니다</translation>
    </message>
    <message>
        <source>the output of %1</source>
        <translation>%1의 출력</translation>
    </message>
    <message>
        <source>the gradient of %1</source>
        <translation>%1의 기울기</translation>
    </message>
    <message>
        <source>the last stage&apos;s output of %1</source>
        <translation>%1의 마지막 스테이지 출력</translation>
    </message>
    <message>
        <source>the softmax statistics of %1</source>
        <translation>%1의 소프트맥스 통계</translation>
    </message>
    <message>
        <source>the last stage&apos;s gradient of %1</source>
        <translation>%1의 마지막 스테이지 기울기</translation>
    </message>
    <message>
        <source>the embeddings of %1</source>
        <translation>%1의 임베딩</translation>
    </message>
    <message>
        <source>the embeddings&apos; gradient of %1</source>
        <translation>%1의 임베딩 기울기</translation>
    </message>
    <message>
        <source>a message that no device sends</source>
        <translation>어떤 장치도 보내지 않는 메시지</translation>
    </message>
    <message>
        <source>%1 from device %2, which does not have that pass</source>
        <translation>그 패스가 없는 장치 %2의 %1</translation>
    </message>
    <message>
        <source>%1 from device %2, which has it at position %3</source>
        <translation>위치 %3에 그것이 있는 장치 %2의 %1</translation>
    </message>
    <message>
        <source>and so on</source>
        <translation>이하 같음</translation>
    </message>
    <message>
        <source>validate the schedule</source>
        <translation>스케줄을 검증하십시오</translation>
    </message>
    <message>
        <source>the experts of rank %1 of %2 got %3 rows, but have memory for %4</source>
        <translation>랭크 %1(모두 %2개)의 전문가가 %3행을 받았는데 메모리는 %4행뿐입니다</translation>
    </message>
    <message>
        <source>raise expert_headroom, or balance the experts with aux_loss</source>
        <translation>expert_headroom을 늘리거나 aux_loss로 전문가의 균형을 맞추십시오</translation>
    </message>
    <message>
        <source>cannot start the GPU worker %1: %2</source>
        <translation>GPU 워커 %1을(를) 시작할 수 없습니다: %2</translation>
    </message>
    <message>
        <source>install stagelens-cli beside the program</source>
        <translation>stagelens-cli를 프로그램 옆에 설치하십시오</translation>
    </message>
    <message>
        <source>%1 is from another build than this program</source>
        <translation>%1은(는) 이 프로그램과 다른 빌드입니다</translation>
    </message>
    <message>
        <source>install both together</source>
        <translation>둘을 함께 설치하십시오</translation>
    </message>
    <message>
        <source>the GPU worker %1</source>
        <translation>GPU 워커가 끝났습니다: %1</translation>
    </message>
    <message>
        <source>the next run starts a new one</source>
        <translation>다음 실행은 새 워커를 시작합니다</translation>
    </message>
    <message>
        <source>was ended by signal %1 (%2)</source>
        <translation>신호 %1(%2)로 종료됨</translation>
    </message>
    <message>
        <source>ended with status %1</source>
        <translation>상태 %1(으)로 끝남</translation>
    </message>
    <message>
        <source>a message between this program and its worker was truncated</source>
        <translation>이 프로그램과 워커 사이의 메시지가 잘렸습니다</translation>
    </message>
    <message>
        <source>start the run again</source>
        <translation>실행을 다시 시작하십시오</translation>
    </message>
    <message>
        <source>cuda is not available: %1</source>
        <translation>cuda를 사용할 수 없습니다: %1</translation>
    </message>
    <message>
        <source>%1 is not available: %2</source>
        <translation>%1을(를) 사용할 수 없습니다: %2</translation>
    </message>
    <message>
        <source>choose cpu</source>
        <translation>cpu를 선택하십시오</translation>
    </message>
    <message>
        <source>a GPU is out of memory</source>
        <translation>GPU의 메모리가 부족합니다</translation>
    </message>
    <message>
        <source>end other programs that use it</source>
        <translation>GPU를 쓰는 다른 프로그램을 끝내십시오</translation>
    </message>
    <message>
        <source>CUDA sees no GPU</source>
        <translation>CUDA가 GPU를 찾지 못합니다</translation>
    </message>
    <message>
        <source>CUDA_VISIBLE_DEVICES may hide it</source>
        <translation>CUDA_VISIBLE_DEVICES가 숨겼을 수 있습니다</translation>
    </message>
    <message>
        <source>GPU %1, %2, cannot train: %3</source>
        <translation>GPU %1(%2)로 학습할 수 없습니다: %3</translation>
    </message>
    <message>
        <source>no NVIDIA driver is loaded</source>
        <translation>NVIDIA 드라이버가 로드되지 않았습니다</translation>
    </message>
    <message>
        <source>the NVIDIA driver is for CUDA %1, but %2 is needed</source>
        <translation>NVIDIA 드라이버는 CUDA %1용인데 %2이(가) 필요합니다</translation>
    </message>
    <message>
        <source>install a newer driver</source>
        <translation>더 새로운 드라이버를 설치하십시오</translation>
    </message>
    <message>
        <source>it is %1, and the kernels need sm_%20 or newer</source>
        <translation>아키텍처가 %1인데 커널에는 sm_%20 이상이 필요합니다</translation>
    </message>
    <message>
        <source>there is no plug-in %1</source>
        <translation>플러그인 %1이(가) 없습니다</translation>
    </message>
    <message>
        <source>the plug-in cannot be loaded: %1</source>
        <translation>플러그인을 로드할 수 없습니다: %1</translation>
    </message>
    <message>
        <source>choose one, or --dtype fp32</source>
        <translation>배수를 고르거나 --dtype fp32를 선택하십시오</translation>
    </message>
    <message>
        <source>is fp16, but each stage is updated before the others know whether its gradients overflow</source>
        <translation>fp16이지만 각 스테이지는 다른 스테이지가 그 기울기가 넘치는지 알기 전에 갱신됩니다</translation>
    </message>
    <message>
        <source>choose bf16, or 1f1b</source>
        <translation>bf16 또는 1f1b를 선택하십시오</translation>
    </message>
    <message>
        <source>each stage is updated before the gradients of earlier stages are computed, so their norm is unknown</source>
        <translation>각 스테이지는 앞 스테이지의 기울기가 계산되기 전에 갱신되므로 노름을 알 수 없습니다</translation>
    </message>
    <message>
        <source>remove clip, or choose 1f1b</source>
        <translation>clip을 빼거나 1f1b를 선택하십시오</translation>
    </message>
    <message>
        <source>the schedule updates weights between the passes of a sharded output layer, which makes its shards inconsistent</source>
        <translation>스케줄이 나눈 출력 레이어의 패스 사이에 가중치를 갱신하여 조각들이 서로 맞지 않게 됩니다</translation>
    </message>
    <message>
        <source>choose none or redis, or updates end-of-step</source>
        <translation>none이나 redis, 또는 updates end-of-step을 선택하십시오</translation>
    </message>
    <message>
        <source>the two model replicas sum their gradients at the end of the step, but the schedule updates weights at another time</source>
        <translation>모델의 두 복제본은 스텝 끝에 기울기를 합산하는데 스케줄은 다른 때에 가중치를 갱신합니다</translation>
    </message>
    <message>
        <source>use one replica, or updates end-of-step</source>
        <translation>복제본을 하나만 쓰거나 updates end-of-step을 쓰십시오</translation>
    </message>
    <message>
        <source>leaves %1 steps after the checkpoint, but %2 run without a drain in between</source>
        <translation>체크포인트 뒤에 스텝 %1개가 남는데 사이에 비우지 않고 %2개가 함께 실행됩니다</translation>
    </message>
    <message>
        <source>choose %1 steps in all</source>
        <translation>모두 %1스텝을 선택하십시오</translation>
    </message>
    <message>
        <source>is %1, but the checkpoint stands after step %2 already</source>
        <translation>값이 %1이지만 체크포인트가 이미 스텝 %2 뒤의 것입니다</translation>
    </message>
    <message>
        <source>raise it to train on</source>
        <translation>더 학습하려면 값을 늘리십시오</translation>
    </message>
    <message>
        <source>its process ended before the run did</source>
        <translation>실행이 끝나기 전에 프로세스가 끝났습니다</translation>
    </message>
    <message>
        <source>a teaching example has no model to train</source>
        <translation>교육용 예제에는 학습할 모델이 없습니다</translation>
    </message>
    <message>
        <source>choose a model</source>
        <translation>모델을 선택하십시오</translation>
    </message>
    <message>
        <source>%1 has %2, and a run keeps at most %3 of its schedule</source>
        <translation>%1에는 %2이(가) 있는데 실행은 스케줄을 최대 %3까지 보관합니다</translation>
    </message>
    <message>
        <source>lower the number of microbatches</source>
        <translation>마이크로배치 수를 줄이십시오</translation>
    </message>
    <message>
        <source>ssh does not connect to %1: %2</source>
        <translation>ssh로 %1에 연결할 수 없습니다: %2</translation>
    </message>
    <message>
        <source>ssh does not connect to %1</source>
        <translation>ssh로 %1에 연결할 수 없습니다</translation>
    </message>
    <message>
        <source>ssh would ask for a password or for the host&apos;s key, which it cannot do here: run `ssh %1 true` in a terminal until it asks for nothing (ssh-copy-id, ssh-agent)</source>
        <translation>ssh가 비밀번호나 호스트 키를 물으려 하지만 여기서는 물을 수 없습니다: 터미널에서 `ssh %1 true`가 아무것도 묻지 않을 때까지 실행하십시오(ssh-copy-id, ssh-agent)</translation>
    </message>
    <message>
        <source>check that `ssh %1 true` works in a terminal</source>
        <translation>터미널에서 `ssh %1 true`가 되는지 확인하십시오</translation>
    </message>
    <message>
        <source>there is no runnable %1 on %2</source>
        <translation>%2에 실행할 수 있는 %1이(가) 없습니다</translation>
    </message>
    <message>
        <source>install the same build there, name it with --host-program, or add --copy-kit</source>
        <translation>같은 빌드를 그곳에 설치하거나, --host-program으로 지정하거나, --copy-kit를 더하십시오</translation>
    </message>
    <message>
        <source>install the same build there, or add --copy-kit</source>
        <translation>같은 빌드를 그곳에 설치하거나 --copy-kit를 더하십시오</translation>
    </message>
    <message>
        <source>%1 has stagelens-cli of build %2, this program is of build %3</source>
        <translation>%1의 stagelens-cli는 빌드 %2이고 이 프로그램은 빌드 %3입니다</translation>
    </message>
    <message>
        <source>the worker on %1 %2</source>
        <translation>%1의 워커가 끝났습니다: %2</translation>
    </message>
    <message>
        <source>the connection to %1 was lost after %2 step</source>
        <translation>스텝 %2개 뒤에 %1과(와)의 연결이 끊어졌습니다</translation>
    </message>
    <message>
        <source>the connection to %1 was lost after %2 steps</source>
        <translation>스텝 %2개 뒤에 %1과(와)의 연결이 끊어졌습니다</translation>
    </message>
    <message>
        <source>the connection to %1 was lost after %2 steps: %3</source>
        <translation>스텝 %2개 뒤에 %1과(와)의 연결이 끊어졌습니다: %3</translation>
    </message>
    <message>
        <source>what was measured until then is kept, and the worker there ends by itself</source>
        <translation>그때까지 측정한 것은 보존되며 그곳의 워커는 스스로 끝납니다</translation>
    </message>
    <message>
        <source>give [user@]host</source>
        <translation>[user@]host를 지정하십시오</translation>
    </message>
    <message>
        <source>%1 is not of the form [user@]host</source>
        <translation>%1은(는) [user@]host 형식이 아닙니다</translation>
    </message>
    <message>
        <source>give one</source>
        <translation>하나를 지정하십시오</translation>
    </message>
    <message>
        <source>name a text file, a .bin file or synthetic</source>
        <translation>텍스트 파일, .bin 파일 또는 synthetic을 지정하십시오</translation>
    </message>
    <message>
        <source>has %1 tokens but a sequence of %2 needs %3</source>
        <translation>토큰이 %1개인데 길이 %2인 시퀀스에는 %3개가 필요합니다</translation>
    </message>
    <message>
        <source>give more text, shorten the sequence or choose synthetic</source>
        <translation>텍스트를 늘리거나, 시퀀스를 줄이거나, synthetic을 선택하십시오</translation>
    </message>
    <message>
        <source>%1 does not fit into memory</source>
        <translation>%1이(가) 메모리에 들어가지 않습니다</translation>
    </message>
    <message>
        <source>choose a smaller file</source>
        <translation>더 작은 파일을 선택하십시오</translation>
    </message>
    <message>
        <source>%1 contains no *.md or *.txt file</source>
        <translation>%1에 *.md나 *.txt 파일이 없습니다</translation>
    </message>
    <message>
        <source>name a folder with texts or a file</source>
        <translation>텍스트가 있는 폴더나 파일을 지정하십시오</translation>
    </message>
    <message>
        <source>is %1 but text needs at least %2 tokens, one for each byte</source>
        <translation>값이 %1이지만 텍스트에는 바이트마다 하나씩 최소 %2개의 토큰이 필요합니다</translation>
    </message>
    <message>
        <source>raise it or choose synthetic data</source>
        <translation>값을 늘리거나 합성 데이터를 선택하십시오</translation>
    </message>
    <message>
        <source>has token %1 at position %2 but the vocabulary has %3 tokens</source>
        <translation>위치 %2에 토큰 %1이(가) 있는데 어휘의 토큰은 %3개입니다</translation>
    </message>
    <message>
        <source>raise model.vocabulary_size or choose another file</source>
        <translation>model.vocabulary_size를 늘리거나 다른 파일을 선택하십시오</translation>
    </message>
    <message>
        <source>cannot be read: %1</source>
        <translation>읽을 수 없습니다: %1</translation>
    </message>
    <message>
        <source>cannot be written: %1</source>
        <translation>쓸 수 없습니다: %1</translation>
    </message>
    <message>
        <source>it does not exist</source>
        <translation>파일이 없습니다</translation>
    </message>
    <message>
        <source>check the name</source>
        <translation>이름을 확인하십시오</translation>
    </message>
    <message>
        <source>you may not access it</source>
        <translation>접근 권한이 없습니다</translation>
    </message>
    <message>
        <source>change its permissions or choose another file</source>
        <translation>권한을 바꾸거나 다른 파일을 선택하십시오</translation>
    </message>
    <message>
        <source>its folder does not exist</source>
        <translation>폴더가 없습니다</translation>
    </message>
    <message>
        <source>create it or choose another place</source>
        <translation>폴더를 만들거나 다른 위치를 선택하십시오</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>디스크가 가득 찼습니다</translation>
    </message>
    <message>
        <source>your quota of the disk is used up</source>
        <translation>디스크 할당량을 다 썼습니다</translation>
    </message>
    <message>
        <source>free space or choose another place</source>
        <translation>공간을 비우거나 다른 위치를 선택하십시오</translation>
    </message>
    <message>
        <source>files may not become so large here (`ulimit -f`)</source>
        <translation>여기서는 파일이 그렇게 커질 수 없습니다(`ulimit -f`)</translation>
    </message>
    <message>
        <source>raise that limit or choose another place</source>
        <translation>한도를 늘리거나 다른 위치를 선택하십시오</translation>
    </message>
    <message>
        <source>the disk is read-only</source>
        <translation>디스크가 읽기 전용입니다</translation>
    </message>
    <message>
        <source>choose another place</source>
        <translation>다른 위치를 선택하십시오</translation>
    </message>
    <message>
        <source>it is a folder</source>
        <translation>폴더입니다</translation>
    </message>
    <message>
        <source>is a folder</source>
        <translation>폴더입니다</translation>
    </message>
    <message>
        <source>name a file</source>
        <translation>파일을 지정하십시오</translation>
    </message>
    <message>
        <source>is not a regular file</source>
        <translation>일반 파일이 아닙니다</translation>
    </message>
    <message>
        <source>is %1 long and at most %2 is accepted</source>
        <translation>길이가 %1인데 최대 %2까지 받아들입니다</translation>
    </message>
    <message>
        <source>is a database, which is not replaced</source>
        <translation>데이터베이스이므로 바꾸지 않습니다</translation>
    </message>
    <message>
        <source>choose another file</source>
        <translation>다른 파일을 선택하십시오</translation>
    </message>
    <message>
        <source>belongs to the run database %1</source>
        <translation>실행 데이터베이스 %1의 것입니다</translation>
    </message>
    <message>
        <source>is not a database of Stagelens</source>
        <translation>Stagelens의 데이터베이스가 아닙니다</translation>
    </message>
    <message>
        <source>is being used by another process</source>
        <translation>다른 프로세스가 쓰고 있습니다</translation>
    </message>
    <message>
        <source>wait for it, close that program or choose another database</source>
        <translation>기다리거나, 그 프로그램을 닫거나, 다른 데이터베이스를 선택하십시오</translation>
    </message>
    <message>
        <source>is read-only, its folder is, or the disk is full</source>
        <translation>파일이나 폴더가 읽기 전용이거나 디스크가 가득 찼습니다</translation>
    </message>
    <message>
        <source>change the permissions, free space or choose another database</source>
        <translation>권한을 바꾸거나, 공간을 비우거나, 다른 데이터베이스를 선택하십시오</translation>
    </message>
    <message>
        <source>cannot be opened</source>
        <translation>열 수 없습니다</translation>
    </message>
    <message>
        <source>cannot be opened (%1)</source>
        <translation>열 수 없습니다(%1)</translation>
    </message>
    <message>
        <source>its folder must exist and be writable, else choose another database</source>
        <translation>폴더가 있고 쓸 수 있어야 합니다. 아니면 다른 데이터베이스를 선택하십시오</translation>
    </message>
    <message>
        <source>cannot grow because the disk is full</source>
        <translation>디스크가 가득 차서 커질 수 없습니다</translation>
    </message>
    <message>
        <source>free space or choose another database</source>
        <translation>공간을 비우거나 다른 데이터베이스를 선택하십시오</translation>
    </message>
    <message>
        <source>is damaged</source>
        <translation>손상되었습니다</translation>
    </message>
    <message>
        <source>copy it away, then put a backup (*.bak-v*) in its place or save what can be read with `sqlite3 FILE .recover`</source>
        <translation>다른 곳에 복사한 다음 백업(*.bak-v*)으로 바꾸거나 `sqlite3 FILE .recover`로 읽을 수 있는 것을 저장하십시오</translation>
    </message>
    <message>
        <source>cannot be read or written</source>
        <translation>읽거나 쓸 수 없습니다</translation>
    </message>
    <message>
        <source>cannot be read or written (%1)</source>
        <translation>읽거나 쓸 수 없습니다(%1)</translation>
    </message>
    <message>
        <source>check the disk and its free space</source>
        <translation>디스크와 남은 공간을 확인하십시오</translation>
    </message>
    <message>
        <source>has schema version %1, made by a newer Stagelens</source>
        <translation>더 새로운 Stagelens가 만든 스키마 버전 %1입니다</translation>
    </message>
    <message>
        <source>this one knows versions up to %1</source>
        <translation>이 프로그램은 버전 %1까지 압니다</translation>
    </message>
    <message>
        <source>update Stagelens or choose another database</source>
        <translation>Stagelens를 업데이트하거나 다른 데이터베이스를 선택하십시오</translation>
    </message>
    <message>
        <source>is still being written by run %1</source>
        <translation>실행 %1이(가) 아직 쓰고 있습니다</translation>
    </message>
    <message>
        <source>stop that run first</source>
        <translation>먼저 그 실행을 중지하십시오</translation>
    </message>
    <message>
        <source>run %1 has no finished step, so there is nothing to export</source>
        <translation>실행 %1에는 끝난 스텝이 없어 내보낼 것이 없습니다</translation>
    </message>
    <message>
        <source>is not JSON at line %1, column %2</source>
        <translation>%1행 %2열이 JSON이 아닙니다</translation>
    </message>
    <message>
        <source>mend it there</source>
        <translation>그곳을 고치십시오</translation>
    </message>
    <message>
        <source>it should hold a JSON document</source>
        <translation>JSON 문서가 들어 있어야 합니다</translation>
    </message>
    <message>
        <source>gives the member `%1` twice in one object</source>
        <translation>한 객체에 멤버 `%1`이(가) 두 번 있습니다</translation>
    </message>
    <message>
        <source>remove one</source>
        <translation>하나를 빼십시오</translation>
    </message>
    <message>
        <source>is `%1`, and this program reads `%2` and `%3` only</source>
        <translation>`%1`인데 이 프로그램은 `%2`와(과) `%3`만 읽습니다</translation>
    </message>
    <message>
        <source>is `%1`, and this program reads `%2` only</source>
        <translation>`%1`인데 이 프로그램은 `%2`만 읽습니다</translation>
    </message>
    <message>
        <source>open it with the program that wrote it, or correct the word</source>
        <translation>그것을 쓴 프로그램으로 열거나 단어를 고치십시오</translation>
    </message>
    <message>
        <source>names more than one source of costs</source>
        <translation>비용의 출처를 둘 이상 지정했습니다</translation>
    </message>
    <message>
        <source>keep one of hardware, uniform and durations</source>
        <translation>hardware, uniform, durations 중 하나만 남기십시오</translation>
    </message>
    <message>
        <source>has no event named as a pass of a pipeline (PP:0F0)</source>
        <translation>파이프라인의 패스로 이름 붙은 이벤트(PP:0F0)가 없습니다</translation>
    </message>
    <message>
        <source>record with PyTorch&apos;s pipeline runtime, whose actions bear such names</source>
        <translation>동작에 그런 이름을 붙이는 PyTorch의 파이프라인 런타임으로 기록하십시오</translation>
    </message>
    <message>
        <source>no trace has passes of stage %1 of %2</source>
        <translation>스테이지 %1(모두 %2개)의 패스가 있는 트레이스가 없습니다</translation>
    </message>
    <message>
        <source>give the traces of all ranks together</source>
        <translation>모든 랭크의 트레이스를 함께 지정하십시오</translation>
    </message>
    <message>
        <source>no step is whole: of %1 passes some are missing in each</source>
        <translation>온전한 스텝이 없습니다: 패스 %1개 중 일부가 스텝마다 빠져 있습니다</translation>
    </message>
    <message>
        <source>record at least one whole step</source>
        <translation>온전한 스텝을 하나 이상 기록하십시오</translation>
    </message>
    <message>
        <source>line %1</source>
        <translation>%1행</translation>
    </message>
    <message>
        <source>word %1</source>
        <translation>%1번째 단어</translation>
    </message>
    <message>
        <source>line %1, column %2</source>
        <translation>%1행 %2열</translation>
    </message>
    <message>
        <source>device %1, position %2</source>
        <translation>장치 %1, 위치 %2</translation>
    </message>
    <message>
        <source>the plan needs %1 passes but the schedule has only %2</source>
        <translation>계획에는 패스 %1개가 필요한데 스케줄에는 %2개뿐입니다</translation>
    </message>
    <message>
        <source>lower the number of microbatches or add the passes</source>
        <translation>마이크로배치 수를 줄이거나 패스를 더하십시오</translation>
    </message>
    <message>
        <source>%1 is no pass of a plan with %2 stages, %3 microbatches and this vocabulary method</source>
        <translation>%1은(는) 스테이지 %2개, 마이크로배치 %3개와 이 어휘 방법인 계획의 패스가 아닙니다</translation>
    </message>
    <message>
        <source>give it the stage of its device&apos;s first chunk</source>
        <translation>장치 첫 청크의 스테이지를 지정하십시오</translation>
    </message>
    <message>
        <source>%1 makes the weight gradients again that %2 has made</source>
        <translation>%1은(는) %2이(가) 만든 가중치 기울기를 다시 만듭니다</translation>
    </message>
    <message>
        <source>remove it, or write I in place of that B</source>
        <translation>빼거나 그 B 대신 I를 쓰십시오</translation>
    </message>
    <message>
        <source>%1 runs after microbatch %2</source>
        <translation>%1이(가) 마이크로배치 %2 뒤에 실행됩니다</translation>
    </message>
    <message>
        <source>a shard&apos;s gradients must be added in microbatch order</source>
        <translation>조각의 기울기는 마이크로배치 순서로 더해야 합니다</translation>
    </message>
    <message>
        <source>weights that change between microbatches must do so in microbatch order</source>
        <translation>마이크로배치 사이에 바뀌는 가중치는 마이크로배치 순서로 바뀌어야 합니다</translation>
    </message>
    <message>
        <source>%1 puts %2 activations in flight, but there is room for %3</source>
        <translation>%1에서 활성값 %2개를 보관하게 되는데 자리는 %3개뿐입니다</translation>
    </message>
    <message>
        <source>raise memory_limit, or split the model over more devices</source>
        <translation>memory_limit을 늘리거나 모델을 더 많은 장치에 나누십시오</translation>
    </message>
    <message>
        <source>%1 microbatches a step are fewer than the %2 stages: two versions of the weights are not enough</source>
        <translation>스텝의 마이크로배치 %1개가 스테이지 %2개보다 적습니다: 가중치 두 벌로는 모자랍니다</translation>
    </message>
    <message>
        <source>give %1 or more microbatches</source>
        <translation>마이크로배치를 %1개 이상 지정하십시오</translation>
    </message>
    <message>
        <source>run the backward of microbatch %1 before it</source>
        <translation>그 앞에 마이크로배치 %1의 역전파를 실행하십시오</translation>
    </message>
    <message>
        <source>device %1 waits at %2 (%3) for %4, which device %5 has at %6</source>
        <translation>장치 %1이(가) %2(%3)에서 %4을(를) 기다리는데, 그것은 장치 %5의 %6에 있습니다</translation>
    </message>
    <message>
        <source>device %1 waits at %2 (%3) for %4, which device %5 has at %6 behind %7</source>
        <translation>장치 %1이(가) %2(%3)에서 %4을(를) 기다리는데, 그것은 장치 %5의 %6, %7 뒤에 있습니다</translation>
    </message>
    <message>
        <source>no schedule family is called &apos;%1&apos;</source>
        <translation>&apos;%1&apos;(이)라는 스케줄 계열이 없습니다</translation>
    </message>
    <message>
        <source>%1 needs an even number of devices, not %2</source>
        <translation>%1에는 짝수 개의 장치가 필요하며 %2개일 수 없습니다</translation>
    </message>
    <message>
        <source>give %1 or choose 1f1b</source>
        <translation>%1(으)로 하거나 1f1b를 선택하십시오</translation>
    </message>
    <message>
        <source>give %1 or choose dualpipe-v</source>
        <translation>%1(으)로 하거나 dualpipe-v를 선택하십시오</translation>
    </message>
    <message>
        <source>%1 brings its own method, and %2 is given</source>
        <translation>%1에는 자체 방법이 있는데 %2이(가) 지정되었습니다</translation>
    </message>
    <message>
        <source>leave vocabulary out, or choose the schedule 1f1b</source>
        <translation>어휘를 비워 두거나 스케줄 1f1b를 선택하십시오</translation>
    </message>
    <message>
        <source>%1 changes its weights between the passes of a sharded output layer, whose shards would disagree</source>
        <translation>%1은(는) 나눈 출력 레이어의 패스 사이에 가중치를 바꾸므로 조각들이 서로 맞지 않게 됩니다</translation>
    </message>
    <message>
        <source>choose none or redis, or 1f1b</source>
        <translation>none이나 redis, 또는 1f1b를 선택하십시오</translation>
    </message>
    <message>
        <source>%1 stages are more than %2</source>
        <translation>스테이지 %1개는 %2개를 넘습니다</translation>
    </message>
    <message>
        <source>give fewer chunks</source>
        <translation>청크를 줄이십시오</translation>
    </message>
    <message>
        <source>%1 stages with %2 microbatches make more than %3 passes, which is the limit</source>
        <translation>스테이지 %1개와 마이크로배치 %2개는 한도인 패스 %3개를 넘습니다</translation>
    </message>
    <message>
        <source>give fewer of either</source>
        <translation>둘 중 하나를 줄이십시오</translation>
    </message>
    <message>
        <source>%1 needs a microbatch for each of the %2 devices, or its weights would be more than one step stale</source>
        <translation>%1에는 장치 %2개마다 마이크로배치가 하나씩 필요합니다. 아니면 가중치가 한 스텝보다 더 뒤처집니다</translation>
    </message>
    <message>
        <source>device %1 has room for the activations of %2 microbatches and needs %3</source>
        <translation>장치 %1에는 마이크로배치 %2개의 활성값을 둘 자리가 있는데 %3개가 필요합니다</translation>
    </message>
    <message>
        <source>raise memory_limit</source>
        <translation>memory_limit을 늘리십시오</translation>
    </message>
    <message>
        <source>a limit in bytes needs a model</source>
        <translation>바이트로 정한 한도에는 모델이 필요합니다</translation>
    </message>
    <message>
        <source>give one or leave memory_limit out</source>
        <translation>모델을 지정하거나 memory_limit을 비워 두십시오</translation>
    </message>
    <message>
        <source>an iteration would take more than 11 days</source>
        <translation>반복에 11일이 넘게 걸립니다</translation>
    </message>
    <message>
        <source>lower the durations or the microbatches</source>
        <translation>소요 시간이나 마이크로배치를 줄이십시오</translation>
    </message>
    <message>
        <source>no plan fits</source>
        <translation>들어가는 계획이 없습니다</translation>
    </message>
    <message>
        <source>no family has so many stages a device</source>
        <translation>장치마다 스테이지가 그렇게 많은 계열이 없습니다</translation>
    </message>
    <message>
        <source>leave chunks out</source>
        <translation>청크를 비워 두십시오</translation>
    </message>
    <message>
        <source>the least found is %1 bytes a device (%2)</source>
        <translation>찾은 것 중 가장 적은 것은 장치마다 %1바이트입니다(%2)</translation>
    </message>
    <message>
        <source>raise memory_limit to that, recompute activations, or give more devices</source>
        <translation>memory_limit을 그만큼 늘리거나, 활성값을 재계산하거나, 장치를 늘리십시오</translation>
    </message>
    <message>
        <source>%1 GPUs hold no plan of this model within %2 a rank, of %3 divisions</source>
        <translation>GPU %1개를 나누는 방법 %3가지 중 랭크당 %2에 들어가는 이 모델의 계획이 없습니다</translation>
    </message>
    <message>
        <source>give more GPUs, a shorter sequence or a smaller model</source>
        <translation>GPU를 늘리거나, 시퀀스를 줄이거나, 모델을 줄이십시오</translation>
    </message>
    <message>
        <source>overlapped pairs stay together</source>
        <translation>겹친 짝은 떼어 놓지 않습니다</translation>
    </message>
    <message>
        <source>mend the marked passes</source>
        <translation>표시된 패스를 고치십시오</translation>
    </message>
    <message>
        <source>whole and split backwards are mixed</source>
        <translation>통째 역전파와 나눈 역전파가 섞여 있습니다</translation>
    </message>
    <message>
        <source>write B, or I and W, for all microbatches</source>
        <translation>모든 마이크로배치에 B를 쓰거나 I와 W를 쓰십시오</translation>
    </message>
    <message>
        <source>orders of slices of sequences cannot be edited</source>
        <translation>시퀀스 조각의 순서는 편집할 수 없습니다</translation>
    </message>
    <message>
        <source>choose 1f1b</source>
        <translation>1f1b를 선택하십시오</translation>
    </message>
    <message>
        <source>this machine is too busy to be measured: other programs took %1 of the processor</source>
        <translation>컴퓨터가 너무 바빠 측정할 수 없습니다: 다른 프로그램이 프로세서의 %1을(를) 썼습니다</translation>
    </message>
    <message>
        <source>end other programs and measure again. The preset %1 is as it was</source>
        <translation>다른 프로그램을 끝내고 다시 측정하십시오. 프리셋 %1은(는) 그대로입니다</translation>
    </message>
    <message>
        <source>the passes&apos; times differ by %1 from step to step, more than %2</source>
        <translation>패스의 시간이 스텝마다 %1 달라 %2을(를) 넘습니다</translation>
    </message>
    <message>
        <source>`%1` is not a whole number</source>
        <translation>`%1`은(는) 정수가 아닙니다</translation>
    </message>
    <message>
        <source>write it as 32000, 32k or 32Ki</source>
        <translation>32000, 32k, 32Ki처럼 쓰십시오</translation>
    </message>
    <message>
        <source>`%1` is not a number</source>
        <translation>`%1`은(는) 수가 아닙니다</translation>
    </message>
    <message>
        <source>`%1` is not a number of bytes</source>
        <translation>`%1`은(는) 바이트 수가 아닙니다</translation>
    </message>
    <message>
        <source>write it as 85899345920 or 80GiB</source>
        <translation>85899345920이나 80GiB처럼 쓰십시오</translation>
    </message>
    <message>
        <source>`%1` is not a pass and its milliseconds</source>
        <translation>`%1`은(는) 패스와 밀리초가 아닙니다</translation>
    </message>
    <message>
        <source>write F=1,B=2</source>
        <translation>F=1,B=2처럼 쓰십시오</translation>
    </message>
    <message>
        <source>%1 stands twice</source>
        <translation>%1이(가) 두 번 있습니다</translation>
    </message>
    <message>
        <source>%1 is beyond %2</source>
        <translation>%1은(는) %2을(를) 넘습니다</translation>
    </message>
    <message>
        <source>choose a smaller size</source>
        <translation>더 작은 크기를 선택하십시오</translation>
    </message>
    <message>
        <source>write the layers of each stage as 4/4/4/4</source>
        <translation>스테이지별 레이어 수를 4/4/4/4처럼 쓰십시오</translation>
    </message>
    <message>
        <source>the text is empty</source>
        <translation>텍스트가 비어 있습니다</translation>
    </message>
    <message>
        <source>it must begin with &apos;schedule FAMILY devices P ...&apos;</source>
        <translation>&apos;schedule FAMILY devices P ...&apos;로 시작해야 합니다</translation>
    </message>
    <message>
        <source>the text ends after %1 of %2 devices</source>
        <translation>텍스트가 장치 %2개 중 %1개 뒤에 끝납니다</translation>
    </message>
    <message>
        <source>give one line a device</source>
        <translation>장치마다 한 행을 쓰십시오</translation>
    </message>
    <message>
        <source>the header must begin with &apos;schedule&apos;, not %1</source>
        <translation>머리글은 &apos;schedule&apos;로 시작해야 하며 %1일 수 없습니다</translation>
    </message>
    <message>
        <source>the header must name the family in 1 to 64 characters, such as &apos;schedule custom&apos;</source>
        <translation>머리글에 계열을 1~64자로 써야 합니다(예: &apos;schedule custom&apos;)</translation>
    </message>
    <message>
        <source>%1 must be followed by %2, not %3</source>
        <translation>%1 다음에는 %2이(가) 와야 하며 %3일 수 없습니다</translation>
    </message>
    <message>
        <source>a number from 1 to %1</source>
        <translation>1~%1의 수</translation>
    </message>
    <message>
        <source>the device of each stage, such as 0,1,1,0</source>
        <translation>스테이지마다의 장치(예: 0,1,1,0)</translation>
    </message>
    <message>
        <source>the replica of each microbatch, such as 0101</source>
        <translation>마이크로배치마다의 복제본(예: 0101)</translation>
    </message>
    <message>
        <source>%1 is unknown</source>
        <translation>%1은(는) 알 수 없는 것입니다</translation>
    </message>
    <message>
        <source>there are devices, microbatches, vocabulary, slices, iterations, placement, microbatch-replicas and updates</source>
        <translation>devices, microbatches, vocabulary, slices, iterations, placement, microbatch-replicas, updates가 있습니다</translation>
    </message>
    <message>
        <source>the placement puts stage %1 on device %2 of %3</source>
        <translation>배치가 스테이지 %1을(를) 장치 %2에 두는데 장치는 %3개입니다</translation>
    </message>
    <message>
        <source>the placement gives device %1 no stage</source>
        <translation>배치에서 장치 %1에 스테이지가 없습니다</translation>
    </message>
    <message>
        <source>the header must give devices, microbatches and vocabulary</source>
        <translation>머리글에 devices, microbatches, vocabulary가 있어야 합니다</translation>
    </message>
    <message>
        <source>%1 microbatches are no multiple of %2 iterations</source>
        <translation>마이크로배치 %1개는 반복 %2회의 배수가 아닙니다</translation>
    </message>
    <message>
        <source>%1 microbatches are no multiple of %2 slices, which they count</source>
        <translation>조각까지 센 마이크로배치 %1개는 조각 %2개의 배수가 아닙니다</translation>
    </message>
    <message>
        <source>a device&apos;s line must begin with its number and a colon, such as &apos;0:&apos;</source>
        <translation>장치의 행은 번호와 쌍점으로 시작해야 합니다(예: &apos;0:&apos;)</translation>
    </message>
    <message>
        <source>device %1 stands where %2</source>
        <translation>장치 %1이(가) 있는 곳: %2</translation>
    </message>
    <message>
        <source>device %1 is expected</source>
        <translation>장치 %1이(가) 와야 합니다</translation>
    </message>
    <message>
        <source>the text should end</source>
        <translation>텍스트가 끝나야 합니다</translation>
    </message>
    <message>
        <source>%1 is no pass</source>
        <translation>%1은(는) 패스가 아닙니다</translation>
    </message>
    <message>
        <source>write a kind (F B I W S T U EF EB) and a microbatch, such as F0</source>
        <translation>종류(F B I W S T U EF EB)와 마이크로배치를 쓰십시오(예: F0)</translation>
    </message>
    <message>
        <source>%1 has no microbatch from 0 to %2</source>
        <translation>%1에 0~%2의 마이크로배치가 없습니다</translation>
    </message>
    <message>
        <source>%1 has no stage from 0 to %2</source>
        <translation>%1에 0~%2의 스테이지가 없습니다</translation>
    </message>
    <message>
        <source>%1 ends with %2, which means nothing here</source>
        <translation>%1의 끝에 있는 %2은(는) 여기서 뜻이 없습니다</translation>
    </message>
    <message>
        <source>%1 is one pass too many</source>
        <translation>%1은(는) 한도를 넘는 패스입니다</translation>
    </message>
    <message>
        <source>the limit is %1</source>
        <translation>한도는 %1입니다</translation>
    </message>
    <message>
        <source>%1 has slices of sequences, which no custom schedule can have</source>
        <translation>%1에는 사용자 스케줄에 둘 수 없는 시퀀스 조각이 있습니다</translation>
    </message>
    <message>
        <source>choose the family seq1f1b</source>
        <translation>seq1f1b 계열을 선택하십시오</translation>
    </message>
    <message>
        <source>%1 stages do not divide over %2 devices</source>
        <translation>스테이지 %1개를 장치 %2개에 고르게 나눌 수 없습니다</translation>
    </message>
    <message>
        <source>give each device as many stages</source>
        <translation>장치마다 같은 수의 스테이지를 두십시오</translation>
    </message>
    <message>
        <source>is %1, but %2 has %3</source>
        <translation>값이 %1이지만 %2에는 %3입니다</translation>
    </message>
    <message>
        <source>give %1 or leave it out</source>
        <translation>%1(으)로 하거나 비워 두십시오</translation>
    </message>
    <message>
        <source>is %1, but %2 has the passes of %3</source>
        <translation>값이 %1이지만 %2에는 %3의 패스가 있습니다</translation>
    </message>
    <message>
        <source>leave it out</source>
        <translation>비워 두십시오</translation>
    </message>
    <message>
        <source>device %1 needs %2 microbatches in flight but the limit has room for %3</source>
        <translation>장치 %1에는 진행 중인 마이크로배치 %2개가 필요한데 한도에는 %3개의 자리가 있습니다</translation>
    </message>
    <message>
        <source>device %1 needs %2 chunks of microbatches in flight but the limit has room for %3</source>
        <translation>장치 %1에는 진행 중인 마이크로배치의 청크 %2개가 필요한데 한도에는 %3개의 자리가 있습니다</translation>
    </message>
    <message>
        <source>must be %1, not %2</source>
        <translation>%1이어야 하며 %2일 수 없습니다</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>정수</translation>
    </message>
    <message>
        <source>a whole number of 0 or more</source>
        <translation>0 이상의 정수</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>수</translation>
    </message>
    <message>
        <source>a list</source>
        <translation>목록</translation>
    </message>
    <message>
        <source>text</source>
        <translation>텍스트</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true 또는 false</translation>
    </message>
    <message>
        <source>an object</source>
        <translation>객체</translation>
    </message>
    <message>
        <source>holds %1</source>
        <translation>%1이(가) 들어 있습니다</translation>
    </message>
    <message>
        <source>a JSON object { ... } is expected</source>
        <translation>JSON 객체 { ... }가 와야 합니다</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>없습니다</translation>
    </message>
    <message>
        <source>did you mean %1?</source>
        <translation>%1을(를) 뜻했습니까?</translation>
    </message>
    <message>
        <source>is unknown</source>
        <translation>알 수 없는 것입니다</translation>
    </message>
    <message>
        <source>name the cluster, such as &quot;my-cluster&quot;</source>
        <translation>클러스터의 이름을 지정하십시오(예: &quot;my-cluster&quot;)</translation>
    </message>
    <message>
        <source>write one line of UTF-8 text without control characters</source>
        <translation>제어 문자가 없는 UTF-8 텍스트 한 줄을 쓰십시오</translation>
    </message>
    <message>
        <source>is %1 bytes long</source>
        <translation>길이가 %1바이트입니다</translation>
    </message>
    <message>
        <source>shorten it to %1</source>
        <translation>%1(으)로 줄이십시오</translation>
    </message>
    <message>
        <source>is %1, and a device has %2</source>
        <translation>값이 %1인데 장치에는 %2이(가) 있습니다</translation>
    </message>
    <message>
        <source>choose less, such as %1</source>
        <translation>더 작은 값을 선택하십시오(예: %1)</translation>
    </message>
    <message>
        <source>%1 is not a JSON object</source>
        <translation>%1은(는) JSON 객체가 아닙니다</translation>
    </message>
    <message>
        <source>give a Hugging Face config.json</source>
        <translation>Hugging Face의 config.json을 지정하십시오</translation>
    </message>
    <message>
        <source>model_type of %1 is `%2`</source>
        <translation>%1의 model_type이 `%2`입니다</translation>
    </message>
    <message>
        <source>this program reads gpt2, llama, mixtral, qwen3_moe and deepseek_v3</source>
        <translation>이 프로그램은 gpt2, llama, mixtral, qwen3_moe, deepseek_v3를 읽습니다</translation>
    </message>
    <message>
        <source>is missing, and levers count its bytes</source>
        <translation>없습니다. 레버는 그 바이트를 셉니다</translation>
    </message>
    <message>
        <source>name a model or its layers</source>
        <translation>모델이나 그 레이어를 지정하십시오</translation>
    </message>
    <message>
        <source>it must be a whole number from 1 to %1</source>
        <translation>1~%1의 정수여야 합니다</translation>
    </message>
    <message>
        <source>it must be a number above 0</source>
        <translation>0보다 큰 수여야 합니다</translation>
    </message>
    <message>
        <source>add it</source>
        <translation>더하십시오</translation>
    </message>
    <message>
        <source>tensor ranks on more than one node</source>
        <translation>둘 이상의 노드에 걸친 텐서 랭크</translation>
    </message>
    <message>
        <source>tensor ranks that do not divide the heads, the inner width or the hidden width</source>
        <translation>헤드 수, 내부 폭 또는 은닉 폭의 약수가 아닌 텐서 랭크</translation>
    </message>
    <message>
        <source>context ranks of fewer than %1 tokens</source>
        <translation>토큰이 %1개보다 적은 컨텍스트 랭크</translation>
    </message>
    <message>
        <source>context ranks that do not cut the sequence into equal chunks</source>
        <translation>시퀀스를 같은 청크로 나누지 못하는 컨텍스트 랭크</translation>
    </message>
    <message>
        <source>more devices than the %1 layers of the model</source>
        <translation>모델의 레이어 %1개보다 많은 장치</translation>
    </message>
    <message>
        <source>replicas that do not divide the global batch</source>
        <translation>전체 배치의 약수가 아닌 복제본 수</translation>
    </message>
    <message>
        <source>microbatches that do not divide the sequences of a replica</source>
        <translation>복제본의 시퀀스를 나누지 못하는 마이크로배치</translation>
    </message>
    <message>
        <source>more than %1 microbatches a replica</source>
        <translation>복제본마다 마이크로배치 %1개 초과</translation>
    </message>
    <message>
        <source>parameters and one microbatch that do not fit</source>
        <translation>들어가지 않는 파라미터와 마이크로배치 하나</translation>
    </message>
    <message>
        <source>combinations that a schedule refuses</source>
        <translation>스케줄이 거부하는 조합</translation>
    </message>
    <message>
        <source>too many passes for a search</source>
        <translation>탐색하기에 너무 많은 패스</translation>
    </message>
    <message>
        <source>activations in flight that do not fit</source>
        <translation>들어가지 않는 진행 중인 활성값</translation>
    </message>
    <message>
        <source>one has times and the other teaching units</source>
        <translation>하나는 시간이고 다른 하나는 교육용 단위입니다</translation>
    </message>
    <message>
        <source>they train different models</source>
        <translation>서로 다른 모델을 학습합니다</translation>
    </message>
    <message>
        <source>they train different numbers of tokens a step</source>
        <translation>스텝마다 학습하는 토큰 수가 다릅니다</translation>
    </message>
    <message>
        <source>their sequences have other lengths</source>
        <translation>시퀀스 길이가 다릅니다</translation>
    </message>
    <message>
        <source>F and B of a microbatch take %1 and %2 units on all devices together</source>
        <translation>마이크로배치의 F와 B가 모든 장치를 합쳐 %1단위와 %2단위 걸립니다</translation>
    </message>
    <message>
        <source>one has vocabulary layers and the other has not</source>
        <translation>하나에는 어휘 레이어가 있고 다른 하나에는 없습니다</translation>
    </message>
    <message>
        <source>this machine&apos;s processor, fp32, or bf16 and fp16 emulated, one thread a device</source>
        <translation>이 컴퓨터의 프로세서, fp32 또는 에뮬레이션한 bf16과 fp16, 장치마다 스레드 하나</translation>
    </message>
    <message>
        <source>is %1, wider than the layers, whose width is %2</source>
        <translation>값이 %1이며, 폭이 %2인 레이어보다 넓습니다</translation>
    </message>
    <message>
        <source>choose at most %1, or full</source>
        <translation>최대 %1 또는 full을 선택하십시오</translation>
    </message>
    <message>
        <source>is %1, without the width of the tables</source>
        <translation>값이 %1이며 표의 폭이 없습니다</translation>
    </message>
    <message>
        <source>Vocabulary width</source>
        <translation>어휘 폭</translation>
    </message>
    <message>
        <source>Columns of a factorised vocabulary: tables V x E, and maps E x h to the layers and from them, which is another model (default: tables V x h).</source>
        <translation>분해된 어휘의 열 수. 표는 V x E이고, 레이어와의 사이에 E x h 행렬이 있으며, 이는 다른 모델입니다(기본값: V x h 표).</translation>
    </message>
    <message>
        <source>full</source>
        <translation>전체</translation>
    </message>
    <message>
        <source>Other model</source>
        <translation>다른 모델</translation>
    </message>
    <message>
        <source>Another model: its quality must be measured, and what it saves is not free</source>
        <translation>다른 모델입니다. 품질을 측정해야 하며, 절약에는 대가가 있습니다</translation>
    </message>
    <message>
        <source>Slow device %1</source>
        <translation>느린 장치 %1</translation>
    </message>
    <message>
        <source>the schedule as text; drag passes along their lane, or an end to slow its device</source>
        <translation>텍스트로 된 스케줄. 패스를 레인에서 끌거나, 끝을 끌어 장치를 느리게 함</translation>
    </message>
    <message>
        <source>Peak</source>
        <translation>최대</translation>
    </message>
    <message>
        <source>Bound</source>
        <translation>하한</translation>
    </message>
    <message>
        <source>%1 → %2</source>
        <translation>%1 → %2</translation>
    </message>
    <message>
        <source>Editing: drag a pass to move it, its end to slow its device; Ctrl+Shift+E ends</source>
        <translation>편집 중: 패스를 끌면 옮겨지고 끝을 끌면 장치가 느려집니다. Ctrl+Shift+E로 끝냅니다</translation>
    </message>
    <message>
        <source>The devices idle %1 of the time, above all while the pipeline fills and drains.</source>
        <translation>장치가 시간의 %1 동안 유휴이며, 주로 파이프라인이 차고 비는 동안입니다.</translation>
    </message>
    <message>
        <source>The devices idle %1 of the time, above all for messages and barriers.</source>
        <translation>장치가 시간의 %1 동안 유휴이며, 주로 메시지와 배리어를 기다립니다.</translation>
    </message>
    <message>
        <source>The devices are evenly loaded; they idle %1 of the time, above all for the what-ifs&apos; slow parts.</source>
        <translation>장치의 부하가 고릅니다. 시간의 %1 동안 유휴이며, 주로 가정의 느린 부분 때문입니다.</translation>
    </message>
    <message>
        <source>One microbatch is too few for %1 devices, which idle %2 of the time, above all while the pipeline fills and drains.</source>
        <translation>마이크로배치 1개는 장치 %1개에 너무 적습니다. 장치는 시간의 %2 동안 유휴이며, 주로 파이프라인이 차고 비는 동안입니다.</translation>
    </message>
    <message>
        <source>%1 microbatches are few for %2 devices, which idle %3 of the time, above all while the pipeline fills and drains.</source>
        <translation>마이크로배치 %1개는 장치 %2개에 적습니다. 장치는 시간의 %3 동안 유휴이며, 주로 파이프라인이 차고 비는 동안입니다.</translation>
    </message>
    <message>
        <source>is %1, but tables have %2 to %3 columns</source>
        <translation>값이 %1이지만 테이블의 열은 %2~%3개입니다</translation>
    </message>
    <message>
        <source>is %1, without the number of hashes</source>
        <translation>값이 %1이며 해시 수가 없습니다</translation>
    </message>
    <message>
        <source>is %1, but there are %2 to %3 hashes</source>
        <translation>값이 %1이지만 해시는 %2~%3개입니다</translation>
    </message>
    <message>
        <source>is %1, but tied weights have one table, whose rows the output needs for each token</source>
        <translation>값이 %1이지만 공유 가중치에는 테이블이 하나뿐이며, 출력에는 토큰마다 그 행이 필요합니다</translation>
    </message>
    <message>
        <source>choose 0, or untied weights</source>
        <translation>0 또는 공유하지 않는 가중치를 선택하십시오</translation>
    </message>
    <message>
        <source>Input hashes</source>
        <translation>입력 해시</translation>
    </message>
    <message>
        <source>Rows of a short input table that add up to the embedding of a token, which is another model (0: a row for each token).</source>
        <translation>더하면 토큰의 임베딩이 되는 짧은 입력 테이블의 행 수. 다른 모델입니다(0: 토큰마다 행 하나).</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>a quantity and its unit</comment>
        <translation>%1(%2)</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>a number of a cluster and what is wrong with it: is 3; choose 4 to 5</comment>
        <translation>%1의 %2</translation>
    </message>
    <message>
        <source>is no number</source>
        <translation>값이 숫자가 아닙니다</translation>
    </message>
    <message>
        <source>choose %1 to %2 (the nearest is %3)</source>
        <translation>%1~%2에서 선택하십시오(가장 가까운 값: %3)</translation>
    </message>
    <message>
        <source>choose more than %1, up to %2</source>
        <translation>%1보다 크고 %2 이하인 값을 선택하십시오</translation>
    </message>
    <message>
        <source>choose more than %1, up to %2 (the nearest is %3)</source>
        <translation>%1보다 크고 %2 이하인 값을 선택하십시오(가장 가까운 값: %3)</translation>
    </message>
    <message>
        <source>choose a whole number, such as %1</source>
        <translation>정수를 선택하십시오(예: %1)</translation>
    </message>
    <message>
        <source>is %1, which is a preset</source>
        <translation>값이 프리셋의 이름인 %1입니다</translation>
    </message>
    <message>
        <source>choose another, such as %1</source>
        <translation>다른 것을 선택하십시오(예: %1)</translation>
    </message>
    <message>
        <source>Peak of matrix products</source>
        <translation>행렬 곱의 최대 속도</translation>
    </message>
    <message>
        <source>dense matrix products in the training dtype, without sparsity</source>
        <translation>학습의 수 형식으로 하는 밀집 행렬 곱. 희소성은 쓰지 않음</translation>
    </message>
    <message>
        <source>Share that matrix products reach</source>
        <translation>행렬 곱이 내는 비율</translation>
    </message>
    <message>
        <source>of the peak, by large matrix products</source>
        <translation>최대 속도 가운데 큰 행렬 곱이 내는 비율</translation>
    </message>
    <message>
        <source>Share that attention reaches</source>
        <translation>어텐션이 내는 비율</translation>
    </message>
    <message>
        <source>of the peak, with the FLOPs of attention counted in full</source>
        <translation>최대 속도에 대한 비율. 어텐션의 FLOP를 모두 셈</translation>
    </message>
    <message>
        <source>Dimension of half speed</source>
        <translation>절반 속도의 차원</translation>
    </message>
    <message>
        <source>a product whose smallest dimension is n reaches n / (n + this) of its speed</source>
        <translation>가장 작은 차원이 n인 곱은 속도의 n / (n + 이 값)을 냄</translation>
    </message>
    <message>
        <source>Memory bandwidth</source>
        <translation>메모리 대역폭</translation>
    </message>
    <message>
        <source>of memory-bound work</source>
        <translation>메모리 대역폭이 한계인 작업의 것</translation>
    </message>
    <message>
        <source>Overhead of a pass</source>
        <translation>패스의 오버헤드</translation>
    </message>
    <message>
        <source>fixed time of a pass</source>
        <translation>패스마다의 고정 시간</translation>
    </message>
    <message>
        <source>Launch of a kernel</source>
        <translation>커널의 시작 간격</translation>
    </message>
    <message>
        <source>least time between the begins of two kernels</source>
        <translation>두 커널의 시작 사이의 최소 시간</translation>
    </message>
    <message>
        <source>Memory of a GPU</source>
        <translation>GPU의 메모리</translation>
    </message>
    <message>
        <source>0: unknown</source>
        <translation>0: 알 수 없음</translation>
    </message>
    <message>
        <source>Reserved of it</source>
        <translation>그 가운데 예약된 메모리</translation>
    </message>
    <message>
        <source>for the GPU&apos;s context and the buffers of NCCL</source>
        <translation>GPU의 컨텍스트와 NCCL의 버퍼가 차지하는 것</translation>
    </message>
    <message>
        <source>Fragmentation</source>
        <translation>단편화</translation>
    </message>
    <message>
        <source>what the allocator wastes, as a share of the tensors&apos; bytes</source>
        <translation>할당자가 낭비하는 것. 텐서의 바이트에 대한 비율</translation>
    </message>
    <message>
        <source>Bandwidth to the host</source>
        <translation>호스트까지의 대역폭</translation>
    </message>
    <message>
        <source>of one GPU that copies alone, each way; 0: unknown</source>
        <translation>GPU 하나가 혼자 복사할 때, 방향마다. 0: 알 수 없음</translation>
    </message>
    <message>
        <source>Shared bandwidth to the host</source>
        <translation>함께 쓸 때 호스트까지의 대역폭</translation>
    </message>
    <message>
        <source>of a GPU while all behind its switch copy; 0: an equal share</source>
        <translation>한 스위치의 모든 GPU가 복사할 때 GPU 하나의 것. 0: 똑같이 나눈 몫</translation>
    </message>
    <message>
        <source>GPUs a host link</source>
        <translation>호스트 링크당 GPU 수</translation>
    </message>
    <message>
        <source>that share a switch to the host</source>
        <translation>호스트로 가는 스위치를 함께 쓰는 GPU</translation>
    </message>
    <message>
        <source>Memory of a node</source>
        <translation>노드의 메모리</translation>
    </message>
    <message>
        <source>of its processors; 0: unknown</source>
        <translation>프로세서의 메모리. 0: 알 수 없음</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>노드 수</translation>
    </message>
    <message>
        <source>of the cluster; 0: as many as a plan needs</source>
        <translation>클러스터의 것. 0: 계획에 필요한 만큼</translation>
    </message>
    <message>
        <source>GPUs a node</source>
        <translation>노드당 GPU 수</translation>
    </message>
    <message>
        <source>ranks fill nodes in order</source>
        <translation>랭크가 노드를 순서대로 채움</translation>
    </message>
    <message>
        <source>Network adapters a node</source>
        <translation>노드당 네트워크 어댑터 수</translation>
    </message>
    <message>
        <source>that the GPUs of a node share; 0: one for each GPU</source>
        <translation>한 노드의 GPU가 함께 쓰는 어댑터. 0: GPU마다 하나</translation>
    </message>
    <message>
        <source>Latency inside a node</source>
        <translation>노드 안의 지연 시간</translation>
    </message>
    <message>
        <source>of a message</source>
        <translation>메시지 하나의 것</translation>
    </message>
    <message>
        <source>Bandwidth inside a node</source>
        <translation>노드 안의 대역폭</translation>
    </message>
    <message>
        <source>of messages between two GPUs, in one direction</source>
        <translation>두 GPU 사이 메시지의 것, 한 방향</translation>
    </message>
    <message>
        <source>Oversubscription inside a node</source>
        <translation>노드 안의 초과 구독</translation>
    </message>
    <message>
        <source>divides the bandwidth when all GPUs send</source>
        <translation>모든 GPU가 보낼 때 대역폭을 나누는 수</translation>
    </message>
    <message>
        <source>Latency between nodes</source>
        <translation>노드 간 지연 시간</translation>
    </message>
    <message>
        <source>Bandwidth between nodes</source>
        <translation>노드 간 대역폭</translation>
    </message>
    <message>
        <source>of one network adapter, in one direction</source>
        <translation>네트워크 어댑터 하나의 것, 한 방향</translation>
    </message>
    <message>
        <source>Oversubscription between nodes</source>
        <translation>노드 간 초과 구독</translation>
    </message>
    <message>
        <source>divides the bandwidth of all adapters</source>
        <translation>모든 어댑터의 대역폭을 나누는 수</translation>
    </message>
    <message>
        <source>Limit of collectives but the all-reduce</source>
        <translation>all-reduce를 제외한 집합 통신의 한도</translation>
    </message>
    <message>
        <source>inside a node, of operations without a table of their own; 0: none</source>
        <translation>노드 안에서, 자기 표가 없는 연산에 대한 버스 속도의 한도. 0: 없음</translation>
    </message>
    <message>
        <source>Price of a GPU-hour</source>
        <translation>GPU 시간의 가격</translation>
    </message>
    <message>
        <source>Slow link %1-%2</source>
        <translation>느린 링크 %1-%2</translation>
    </message>
    <message>
        <source>A message to device %1
Pull its end to make the link between devices %2 slower or faster</source>
        <translation>장치 %1(으)로 가는 메시지
끝을 끌면 장치 %2 사이의 링크가 느려지거나 빨라집니다</translation>
    </message>
    <message>
        <source>Messages between devices %1 take %2 as long
As a what-if; Esc takes it back</source>
        <translation>장치 %1 사이의 메시지 시간이 %2로 늘어남
가정으로 적용됩니다. Esc로 되돌립니다</translation>
    </message>
    <message>
        <source>%1
Pull its end to make device %2 slower or faster</source>
        <translation>%1
끝을 끌면 장치 %2이(가) 느려지거나 빨라집니다</translation>
    </message>
    <message>
        <source>%1 takes %2 as long
So does every pass of device %3, as a what-if; Esc takes it back</source>
        <translation>%1의 시간이 %2로 늘어남
장치 %3의 모든 패스가 가정으로 그렇게 됩니다. Esc로 되돌립니다</translation>
    </message>
    <message>
        <source>“%1” is no whole number of this field: write 32, 32k or 32Ki. Still %2.</source>
        <translation>“%1”은(는) 이 항목의 정수가 아닙니다. 32, 32k, 32Ki처럼 쓰십시오. 값은 그대로 %2입니다.</translation>
    </message>
    <message>
        <source>Restart now</source>
        <translation>지금 다시 시작</translation>
    </message>
    <message>
        <source>Better still than %1: </source>
        <translation>%1보다 더 나은 것: </translation>
    </message>
    <message>
        <source>Shapes that fit…</source>
        <translation>들어가는 형태…</translation>
    </message>
    <message>
        <source>= %1 Gb/s a GPU</source>
        <translation>= GPU당 %1 Gb/s</translation>
    </message>
    <message>
        <source>= %1 Gb/s a GPU, %2 Gb/s a node</source>
        <translation>= GPU당 %1 Gb/s, 노드당 %2 Gb/s</translation>
    </message>
    <message>
        <source>= %1 Gb/s an adapter, %2 Gb/s a node</source>
        <translation>= 어댑터당 %1 Gb/s, 노드당 %2 Gb/s</translation>
    </message>
    <message>
        <source>Bandwidths, latencies and other figures of a cluster: Hardware &gt; Copy and edit…</source>
        <translation>클러스터의 대역폭, 지연 시간 등의 수치: 하드웨어 &gt; 복사하여 편집…</translation>
    </message>
    <message>
        <source>Nothing found. </source>
        <translation>찾은 것이 없습니다. </translation>
    </message>
    <message>
        <source>e.g. 2e12</source>
        <translation>예: 2e12</translation>
    </message>
    <message>
        <source>This is no number of tokens, such as 2e12 or 2T.</source>
        <translation>토큰 수가 아닙니다(예: 2e12 또는 2T).</translation>
    </message>
    <message>
        <source>The window now shows %1: %2. Ctrl+Z takes it back.</source>
        <translation>이제 창에 %1: %2이(가) 표시됩니다. Ctrl+Z로 되돌립니다.</translation>
    </message>
    <message>
        <source>Gb/s between nodes</source>
        <translation>노드 간 Gb/s</translation>
    </message>
    <message>
        <source>Tick all</source>
        <translation>모두 선택</translation>
    </message>
    <message>
        <source>Tick none</source>
        <translation>모두 해제</translation>
    </message>
    <message>
        <source>%1 of %2 chosen</source>
        <translation>%2개 중 %1개 선택</translation>
    </message>
    <message>
        <source>Changes the order: %1. Undo takes it back.</source>
        <translation>순서를 바꿉니다. %1. 실행 취소로 되돌립니다.</translation>
    </message>
    <message>
        <source>The schedule was repaired: %1.</source>
        <translation>스케줄을 고쳤습니다. %1.</translation>
    </message>
    <message>
        <source>The plan that the window shows, with its part of the time axis and its colours; or the morph, or all plans of Compare, while the window shows them</source>
        <translation>창이 보여 주는 계획을 시간 축의 보이는 부분과 색과 함께 더합니다. 창이 변형이나 비교를 보여 주는 동안에는 그 변형이나 비교의 모든 계획을 더합니다.</translation>
    </message>
    <message>
        <source>Full screen from the first scene; PgDn and PgUp go on and back. A double click on a scene begins with it.</source>
        <translation>첫 장면부터 전체 화면으로 보여 줍니다. PgDn과 PgUp으로 앞뒤로 갑니다. 장면을 두 번 클릭하면 그 장면부터 시작합니다.</translation>
    </message>
    <message>
        <source>%1 cannot be a scene. </source>
        <translation>%1은(는) 장면이 될 수 없습니다. </translation>
    </message>
    <message>
        <source>&amp;Add these %1 plans</source>
        <translation>이 계획 %1개 추가(&amp;A)</translation>
    </message>
    <message>
        <source>As a lecture…</source>
        <translation>강의로…</translation>
    </message>
    <message>
        <source>Adds each of these plans as a scene to the lecture, which is presented or written as slides</source>
        <translation>이 계획을 하나씩 강의의 장면으로 더합니다. 강의는 발표하거나 슬라이드로 쓸 수 있습니다.</translation>
    </message>
    <message>
        <source>Puts the plans of the marked point&apos;s series side by side: two to six; of more, it and the fastest others</source>
        <translation>표시된 점의 계열에 있는 계획을 둘에서 여섯 개까지 나란히 놓습니다. 더 많으면 그 점과 가장 빠른 다른 계획을 놓습니다.</translation>
    </message>
    <message>
        <source>removed: %1</source>
        <translation>제거 %1개</translation>
    </message>
    <message>
        <source>added: %1</source>
        <translation>추가 %1개</translation>
    </message>
    <message>
        <source>moved: %1</source>
        <translation>이동 %1개</translation>
    </message>
    <message>
        <source>no pass changed</source>
        <translation>바뀐 패스 없음</translation>
    </message>
    <message>
        <source>passes %1</source>
        <translation>패스 %1</translation>
    </message>
    <message>
        <source>The machine was busy: passes had a processor for a part of their time only (%1).</source>
        <translation>컴퓨터가 바빴습니다. 패스는 그 시간의 일부 동안만 프로세서를 썼습니다(%1).</translation>
    </message>
    <message>
        <source>Its prediction</source>
        <translation>그 예측</translation>
    </message>
    <message>
        <source>Least time that these passes on these devices can take, in any order. Another split of the work has another bound.</source>
        <translation>이 패스들이 이 장치들에서 어떤 순서로든 걸릴 수 있는 최소 시간입니다. 작업을 다르게 나누면 하한도 다릅니다.</translation>
    </message>
    <message>
        <source>Compare with its prediction</source>
        <translation>예측과 비교</translation>
    </message>
    <message>
        <source>Tick or select one to six runs to compare them</source>
        <translation>비교하려면 실행을 하나에서 여섯 개까지 선택하십시오</translation>
    </message>
    <message>
        <source>Train to see the loss.</source>
        <translation>학습하면 손실이 나타납니다.</translation>
    </message>
    <message>
        <source>%1 pipeline devices (%2 GPUs)</source>
        <translation>파이프라인 장치 %1개(GPU %2개)</translation>
    </message>
    <message>
        <source>is %1, without the number of heads</source>
        <translation>값이 %1이며 헤드 수가 없습니다</translation>
    </message>
    <message>
        <source>is %1, but there are %2 to %3 heads</source>
        <translation>값이 %1이지만 헤드는 %2~%3개입니다</translation>
    </message>
    <message>
        <source>is %1, but a sequence of %2 tokens has no token so far ahead</source>
        <translation>값이 %1이지만 토큰 %2개짜리 시퀀스에는 그렇게 앞선 토큰이 없습니다</translation>
    </message>
    <message>
        <source>has %1 cut-offs</source>
        <translation>경계가 %1개 있습니다</translation>
    </message>
    <message>
        <source>has cut-offs that do not rise from 1 on</source>
        <translation>경계가 1부터 커지지 않습니다</translation>
    </message>
    <message>
        <source>choose such as 8192/65536</source>
        <translation>8192/65536과 같이 고르십시오</translation>
    </message>
    <message>
        <source>has a cut-off of %1, beyond the %2 words of the vocabulary</source>
        <translation>경계 %1이 어휘의 단어 %2개를 넘습니다</translation>
    </message>
    <message>
        <source>narrows layers that are narrower than 4</source>
        <translation>너비가 4보다 좁은 레이어를 더 좁힙니다</translation>
    </message>
    <message>
        <source>choose a larger hidden size</source>
        <translation>더 큰 은닉 크기를 고르십시오</translation>
    </message>
    <message>
        <source>has tables of its own, and tied weights have one table for both sides</source>
        <translation>자기 테이블이 있는데, 공유한 가중치에는 양쪽이 쓰는 테이블이 하나뿐입니다</translation>
    </message>
    <message>
        <source>choose untied weights</source>
        <translation>가중치를 공유하지 마십시오</translation>
    </message>
    <message>
        <source>the tails are computed in the room of the logits that the head keeps</source>
        <translation>꼬리는 머리가 보관하는 로짓의 자리에서 계산합니다</translation>
    </message>
    <message>
        <source>choose full, or one softmax</source>
        <translation>full 또는 소프트맥스 하나를 고르십시오</translation>
    </message>
    <message>
        <source>its tails read one row of each token, as wide as the layers</source>
        <translation>꼬리는 토큰마다 레이어와 너비가 같은 행 하나를 읽습니다</translation>
    </message>
    <message>
        <source>choose one head and full tables, or one softmax</source>
        <translation>헤드 하나와 온전한 테이블, 또는 소프트맥스 하나를 고르십시오</translation>
    </message>
    <message>
        <source>tails add their gradients to those of the head in fp32 only</source>
        <translation>꼬리는 자기 기울기를 머리의 기울기에 fp32로만 더합니다</translation>
    </message>
    <message>
        <source>choose fp32, or one softmax</source>
        <translation>fp32 또는 소프트맥스 하나를 고르십시오</translation>
    </message>
    <message>
        <source>GPUs do not yet choose the tokens of a tail</source>
        <translation>GPU는 아직 꼬리의 토큰을 고르지 못합니다</translation>
    </message>
    <message>
        <source>choose one softmax, or the backend cpu</source>
        <translation>소프트맥스 하나 또는 백엔드 cpu를 고르십시오</translation>
    </message>
    <message>
        <source>Output heads</source>
        <translation>출력 헤드</translation>
    </message>
    <message>
        <source>Heads of the output layer, of which each predicts a token one position further ahead (multi-token prediction), which is another model (1: the next token).</source>
        <translation>출력 레이어의 헤드. 저마다 한 자리씩 더 앞의 토큰을 예측하며(다중 토큰 예측), 다른 모델입니다(1: 다음 토큰).</translation>
    </message>
    <message>
        <source>Adaptive softmax</source>
        <translation>적응형 소프트맥스</translation>
    </message>
    <message>
        <source>Cut-offs of the vocabulary, such as 8192/65536: words below the first have a softmax of their own, and rarer ones share one and have narrower tables, which is another model (default: one softmax).</source>
        <translation>8192/65536처럼 어휘를 나누는 경계. 첫 경계보다 앞의 단어는 자기들의 소프트맥스를 가지고, 더 드문 단어들은 하나를 함께 쓰며 더 좁은 테이블을 가집니다. 다른 모델입니다(기본값: 소프트맥스 하나).</translation>
    </message>
    <message>
        <source>one softmax</source>
        <translation>소프트맥스 하나</translation>
    </message>
    <message>
        <source>What the output layer keeps of a microbatch until its gradient: full keeps exp(logits); recompute-logits keeps three numbers a token and multiplies again; chunked=C keeps no more, and computes a C-th of the tokens at a time; factorised=E is short for --vocabulary-width E, hashed=K for --input-hashes K, heads=K for --output-heads K.</source>
        <translation>출력 레이어가 기울기를 구할 때까지 마이크로배치마다 보관하는 것: full은 exp(로짓)을 보관하고, recompute-logits는 토큰마다 숫자 세 개만 보관하고 곱을 다시 계산하며, chunked=C는 더 보관하지 않고 한 번에 토큰의 1/C씩 계산합니다. factorised=E는 --vocabulary-width E의, hashed=K는 --input-hashes K의, heads=K는 --output-heads K의 줄임입니다.</translation>
    </message>
    <message>
        <source>this has been checked on processors only</source>
        <translation>프로세서에서만 확인했습니다</translation>
    </message>
    <message>
        <source>orders with split sequences have rules of their own</source>
        <translation>시퀀스를 나눈 순서에는 따로 규칙이 있습니다</translation>
    </message>
    <message>
        <source>only %1 of the %2 passes of such a schedule are there</source>
        <translation>이런 스케줄의 패스 %2개 가운데 %1개만 있습니다</translation>
    </message>
    <message>
        <source>write the others, or choose a family</source>
        <translation>나머지를 쓰거나 스케줄 계열을 고르십시오</translation>
    </message>
    <message>
        <source>This computer was measured: equal passes differ by %1.</source>
        <translation>이 컴퓨터를 측정했습니다. 같은 패스의 차이 %1.</translation>
    </message>
    <message>
        <source>An iteration of this plan now takes %1; before it was %2.</source>
        <translation>이 계획의 반복은 이제 %1 걸립니다. 전에는 %2였습니다.</translation>
    </message>
    <message>
        <source>Only with A&apos;s memory or less</source>
        <translation>A의 메모리 이하만</translation>
    </message>
    <message>
        <source>Nothing to compare yet. Add predictions, files and runs above, or tick up to six runs in the table of runs.</source>
        <translation>아직 비교할 것이 없습니다. 위에서 예측, 파일, 실행을 추가하거나 실행 표에서 여섯 개까지 고르십시오.</translation>
    </message>
    <message>
        <source>Tokens of the whole training, such as 2e12 or 2T: the table then has days, and with a price costs</source>
        <translation>전체 학습의 토큰 수(예: 2e12 또는 2T). 그러면 표에 일수가, 가격이 있으면 비용도 나옵니다</translation>
    </message>
    <message>
        <source>What a GPU costs an hour: with it and the tokens, the table has costs</source>
        <translation>GPU 한 대의 시간당 비용. 토큰 수와 함께 넣으면 표에 비용이 나옵니다</translation>
    </message>
    <message>
        <source>This is no price, such as 2.5.</source>
        <translation>2.5와 같은 가격이 아닙니다.</translation>
    </message>
    <message>
        <source>e.g. 2.5</source>
        <translation>예: 2.5</translation>
    </message>
    <message>
        <source>Run %1. Double-click shows it with its plan; tick up to six to compare them.</source>
        <translation>실행 %1. 두 번 누르면 계획과 함께 보이고, 여섯 개까지 고르면 비교합니다.</translation>
    </message>
    <message>
        <source>impossible (at the bottom: without a figure)</source>
        <translation>불가능(맨 아래: 수치 없음)</translation>
    </message>
    <message>
        <source>Vary the schedule</source>
        <translation>스케줄 바꾸어 보기</translation>
    </message>
    <message>
        <source>Tries the schedules that suit this plan in place of the parameter above</source>
        <translation>위의 매개변수 대신 이 계획에 맞는 스케줄을 시험합니다</translation>
    </message>
    <message>
        <source> · Only %1 was tried.</source>
        <translation> · %1만 시험했습니다.</translation>
    </message>
    <message>
        <source>has no plan</source>
        <translation>계획이 없습니다</translation>
    </message>
    <message>
        <source>remove the scene, or give it the object &quot;%1&quot;</source>
        <translation>장면을 지우거나 객체 &quot;%1&quot;을(를) 넣으십시오</translation>
    </message>
    <message>
        <source>one of &quot;plan&quot; and &quot;from&quot; is in teaching units and the other in time</source>
        <translation>&quot;plan&quot;과 &quot;from&quot; 중 하나는 교육용 단위이고 다른 하나는 시간입니다</translation>
    </message>
    <message>
        <source>give two of one kind</source>
        <translation>같은 종류 둘을 주십시오</translation>
    </message>
    <message>
        <source>&quot;colour&quot; is %1</source>
        <translation>&quot;colour&quot;가 %1입니다</translation>
    </message>
    <message>
        <source>use kind, microbatch, chunk or slack</source>
        <translation>kind, microbatch, chunk, slack 중 하나를 쓰십시오</translation>
    </message>
    <message>
        <source>&quot;range&quot; is no begin and end</source>
        <translation>&quot;range&quot;가 시작과 끝이 아닙니다</translation>
    </message>
    <message>
        <source>leave it out to show the whole iteration</source>
        <translation>전체 반복을 보이려면 빼십시오</translation>
    </message>
    <message>
        <source>&quot;axis&quot; is no time</source>
        <translation>&quot;axis&quot;가 시간이 아닙니다</translation>
    </message>
    <message>
        <source>leave it out for an axis as long as the plan</source>
        <translation>축을 계획의 길이로 하려면 빼십시오</translation>
    </message>
    <message>
        <source>is no JSON object: %1 at byte %2</source>
        <translation>JSON 객체가 아닙니다: %2번째 바이트에서 %1</translation>
    </message>
    <message>
        <source>is no lecture</source>
        <translation>강의가 아닙니다</translation>
    </message>
    <message>
        <source>its &quot;format&quot; must be &quot;stagelens-lecture&quot;</source>
        <translation>&quot;format&quot;은 &quot;stagelens-lecture&quot;여야 합니다</translation>
    </message>
    <message>
        <source>has a version other than %1</source>
        <translation>버전이 %1이(가) 아닙니다</translation>
    </message>
    <message>
        <source>open it with a newer Stagelens</source>
        <translation>더 새로운 Stagelens로 여십시오</translation>
    </message>
    <message>
        <source>has %1 scenes, and at most %2 are read</source>
        <translation>장면이 %1개인데, 최대 %2개까지 읽습니다</translation>
    </message>
    <message>
        <source>Like the &amp;desktop</source>
        <translation>데스크톱 설정(&amp;D)</translation>
    </message>
    <message>
        <source>%1: iteration %2, bubble %3, microbatches held: at most %4</source>
        <translation>%1: 반복 %2, 버블 %3, 보관하는 마이크로배치 최대 %4개</translation>
    </message>
    <message>
        <source>
Before: iteration %1, bubble %2, microbatches held: at most %3</source>
        <translation>
이전: 반복 %1, 버블 %2, 보관하는 마이크로배치 최대 %3개</translation>
    </message>
    <message>
        <source>
Below: iteration %1, bubble %2, microbatches held: at most %3</source>
        <translation>
아래: 반복 %1, 버블 %2, 보관하는 마이크로배치 최대 %3개</translation>
    </message>
    <message>
        <source>cannot be trained here: %1</source>
        <translation>여기서 학습할 수 없음: %1</translation>
    </message>
    <message>
        <source>held</source>
        <translation>보관</translation>
    </message>
    <message>
        <source>No method, schedule or even cut of the layers that was tried makes this plan more than 1 % faster at this memory.</source>
        <translation>시도한 방법, 스케줄, 레이어를 고르게 나누기 중 이 메모리에서 이 계획을 1 % 넘게 빠르게 하는 것은 없습니다.</translation>
    </message>
    <message>
        <source>is fp8, but the hardware %1 has no products in 8 bits</source>
        <translation>fp8이지만 하드웨어 %1에는 8비트 곱이 없습니다</translation>
    </message>
    <message>
        <source>choose bf16, or give it peak_flops_of_8_bits</source>
        <translation>bf16을 고르거나 peak_flops_of_8_bits를 지정하세요</translation>
    </message>
    <message>
        <source>draws %1 different words, more than the %2 of the vocabulary</source>
        <translation>서로 다른 단어 %1개를 뽑는데, 어휘의 %2개보다 많습니다</translation>
    </message>
    <message>
        <source>words are drawn for one label of each token, among all words</source>
        <translation>단어는 토큰마다 레이블 하나를 위해 모든 단어 가운데에서 뽑습니다</translation>
    </message>
    <message>
        <source>choose one head and one softmax, or all words</source>
        <translation>헤드 하나와 소프트맥스 하나를 고르거나, 모든 단어를 고르십시오</translation>
    </message>
    <message>
        <source>logits of drawn words are corrected in fp32 only</source>
        <translation>뽑은 단어의 로짓은 fp32에서만 보정합니다</translation>
    </message>
    <message>
        <source>choose fp32, or all words</source>
        <translation>fp32를 고르거나, 모든 단어를 고르십시오</translation>
    </message>
    <message>
        <source>GPUs do not yet correct the logits of drawn words</source>
        <translation>GPU는 뽑은 단어의 로짓을 아직 보정하지 않습니다</translation>
    </message>
    <message>
        <source>choose all words, or the backend cpu</source>
        <translation>모든 단어를 고르거나, 백엔드 cpu를 고르십시오</translation>
    </message>
    <message>
        <source>Sampled softmax</source>
        <translation>표본 소프트맥스</translation>
    </message>
    <message>
        <source>Words that training draws for each microbatch to compare its labels with, which is another model; an evaluation compares them with all words (default: all words).</source>
        <translation>학습이 레이블과 비교하려고 마이크로배치마다 뽑는 단어의 수로, 다른 모델입니다. 평가는 모든 단어와 비교합니다(기본값: 모든 단어).</translation>
    </message>
    <message>
        <source>all words</source>
        <translation>모든 단어</translation>
    </message>
    <message>
        <source>Uncompressed steps before</source>
        <translation>압축 전 스텝</translation>
    </message>
    <message>
        <source>context ranks together with latent attention</source>
        <translation>잠재 어텐션과 함께 쓰는 컨텍스트 랭크</translation>
    </message>
    <message>
        <source>Peak of products in 8 bits</source>
        <translation>8비트 곱의 최댓값</translation>
    </message>
    <message>
        <source>dense matrix products in fp8, without sparsity; 0: none</source>
        <translation>fp8의 밀집 행렬 곱, 희소성 없이. 0: 없음</translation>
    </message>
    <message>
        <source>NVIDIA GB200 186 GB: 2500 TFLOP/s, 5000 in 8 bits, 8 TB/s, 72 a node with NVLink (a rack), InfiniBand between nodes; products as of B200, attention as cuDNN measured, NVLink as DeepEP measured</source>
        <translation>NVIDIA GB200 186 GB: 2500 TFLOP/s, 8비트 5000, 8 TB/s, 노드(랙)마다 NVLink로 72개, 노드 사이는 InfiniBand. 곱은 B200처럼, 어텐션은 cuDNN의 측정, NVLink는 DeepEP의 측정</translation>
    </message>
    <message>
        <source>NVIDIA GB300 279 GB: 2500 TFLOP/s, 5000 in 8 bits, 8 TB/s, 72 a node with NVLink (a rack), InfiniBand between nodes; products as of B200, attention as cuDNN measured, NVLink as DeepEP measured on GB200</source>
        <translation>NVIDIA GB300 279 GB: 2500 TFLOP/s, 8비트 5000, 8 TB/s, 노드(랙)마다 NVLink로 72개, 노드 사이는 InfiniBand. 곱은 B200처럼, 어텐션은 cuDNN의 측정, NVLink는 DeepEP가 GB200에서 측정한 값</translation>
    </message>
    <message>
        <source>What replicas shard: 0 nothing, 1 optimizer state, 2 also gradients, 3 also parameters (FSDP).</source>
        <translation>복제본이 나누는 것: 0 없음, 1 옵티마이저 상태, 2 기울기도, 3 파라미터도(FSDP).</translation>
    </message>
    <message>
        <source>ZeRO-%1 in every pass (FSDP)</source>
        <translation>패스마다 ZeRO-%1 (FSDP)</translation>
    </message>
    <message>
        <source>Pipeline, tensor or FSDP?</source>
        <translation>파이프라인, 텐서, FSDP 중 무엇?</translation>
    </message>
    <message>
        <source>Compares the best plans of mostly pipeline, mostly tensor, mostly context and mostly data ranks (DDP or FSDP)</source>
        <translation>파이프라인, 텐서, 컨텍스트, 데이터(DDP 또는 FSDP) 랭크를 각각 위주로 한 최선의 계획을 비교합니다</translation>
    </message>
    <message>
        <source>Mostly pipeline</source>
        <translation>파이프라인 위주</translation>
    </message>
    <message>
        <source>Mostly tensor</source>
        <translation>텐서 위주</translation>
    </message>
    <message>
        <source>Mostly context</source>
        <translation>컨텍스트 위주</translation>
    </message>
    <message>
        <source>Mostly data</source>
        <translation>데이터 위주</translation>
    </message>
    <message>
        <source>%1 (does not fit)</source>
        <translation>%1 (메모리에 맞지 않음)</translation>
    </message>
    <message>
        <source>Start of the iteration</source>
        <translation>반복의 시작</translation>
    </message>
    <message>
        <source>Start of a microbatch</source>
        <translation>마이크로배치의 시작</translation>
    </message>
    <message>
        <source>Median %1, half of the steps %2, predicted %3</source>
        <translation>중앙값 %1, 스텝의 절반 %2, 예측 %3</translation>
    </message>
    <message>
        <source>In all</source>
        <translation>모두 합쳐</translation>
    </message>
    <message>
        <source>In a typical step each pass lasts its median over the steps, so it may be shorter than any of them.</source>
        <translation>전형적인 스텝에서는 각 패스가 스텝들에 걸친 중앙값만큼 걸리므로 어느 스텝보다도 짧을 수 있습니다.</translation>
    </message>
    <message>
        <source>Half of the steps took</source>
        <translation>스텝의 절반이 걸린 시간</translation>
    </message>
    <message>
        <source>%1 (of %2)</source>
        <translation>%1 (%2개 중)</translation>
    </message>
    <message>
        <source>%1 %2.</source>
        <translation>%1: %2.</translation>
    </message>
    <message>
        <source>Tokens of a sequence, the context length.</source>
        <translation>시퀀스 하나의 토큰 수, 곧 컨텍스트 길이.</translation>
    </message>
    <message>
        <source>The times of this computer are general values until it is measured, which takes some seconds after the first start.</source>
        <translation>이 컴퓨터를 측정하기 전까지 시간은 일반적인 값이며, 측정은 첫 시작 뒤 몇 초 걸립니다.</translation>
    </message>
    <message>
        <source>%1 GPUs, %2, %3 sequences of %4 tokens a step</source>
        <translation>GPU %1개, %2, 한 스텝에 토큰 %4개짜리 시퀀스 %3개</translation>
    </message>
    <message>
        <source>%1 · </source>
        <translation>%1 · </translation>
    </message>
    <message>
        <source>Predicted with unmeasured costs</source>
        <translation>측정하지 않은 비용으로 예측</translation>
    </message>
    <message>
        <source>Searches the ways to divide the devices for one that fits</source>
        <translation>장치를 나누는 방법 가운데 들어가는 것을 찾습니다</translation>
    </message>
    <message>
        <source>the ranks of one device do not yet divide the tails of an adaptive softmax</source>
        <translation>한 장치의 랭크들은 적응형 소프트맥스의 꼬리를 아직 나누지 않습니다</translation>
    </message>
    <message>
        <source>ranks do not yet gather the rows of tails of each other&apos;s tokens</source>
        <translation>랭크들은 서로의 토큰에 대한 꼬리의 행을 아직 모으지 않습니다</translation>
    </message>
    <message>
        <source>Steps done: %1 of %2.</source>
        <translation>마친 스텝: %2개 중 %1개.</translation>
    </message>
    <message>
        <source>Gap after a kernel</source>
        <translation>커널 뒤의 간격</translation>
    </message>
    <message>
        <source>idle time after each kernel of a layer, as of a host that waits for the GPU between launches</source>
        <translation>레이어의 각 커널 뒤에 비는 시간. 실행할 때마다 GPU를 기다리는 호스트의 경우와 같음</translation>
    </message>
    <message>
        <source>Fused kernels (1: yes, 0: no)</source>
        <translation>융합 커널 (1: 예, 0: 아니요)</translation>
    </message>
    <message>
        <source>1: norms, additions and activation functions are fused with biases and dropout, and read and write 16 bits once; 0: separate kernels with copies in fp32</source>
        <translation>1: 정규화, 덧셈, 활성화 함수가 편향과 드롭아웃과 융합되어 16비트를 한 번씩 읽고 씀. 0: fp32 사본을 만드는 별도의 커널</translation>
    </message>
    <message>
        <source>choose 1, or as many expert ranks as tensor ranks</source>
        <translation>1 또는 텐서 랭크 수만큼의 전문가 랭크를 선택하십시오</translation>
    </message>
    <message>
        <source>%1 has no pairs to choose</source>
        <translation>%1에는 선택할 수 있는 짝이 없습니다</translation>
    </message>
    <message>
        <source>leave it out or choose 1f1b or interleaved-1f1b</source>
        <translation>비워 두거나 1f1b 또는 interleaved-1f1b를 선택하십시오</translation>
    </message>
    <message>
        <source>without sequence parallelism the tensor ranks would route the same tokens</source>
        <translation>시퀀스 병렬이 없으면 텐서 랭크들이 같은 토큰을 라우팅하게 됩니다</translation>
    </message>
    <message>
        <source>choose 1, or --sequence-parallel</source>
        <translation>1 또는 --sequence-parallel을 선택하십시오</translation>
    </message>
    <message>
        <source>is %1, which is no multiple of the %2 tensor ranks, which share experts</source>
        <translation>%1인데, 전문가를 나누어 가지는 텐서 랭크 %2개의 배수가 아닙니다</translation>
    </message>
    <message>
        <source>Overlapped pairs</source>
        <translation>겹친 짝</translation>
    </message>
    <message>
        <source>A forward and a backward of different microbatches run at once in the steady phase (1f1b, interleaved-1f1b): all-to-alls of experts hide behind the computation of the other, for more activations: up to twice those of 1f1b, or those of one more pass of interleaved-1f1b.</source>
        <translation>정상 구간에서 서로 다른 마이크로배치의 순전파와 역전파를 동시에 실행(1f1b, interleaved-1f1b). 전문가의 all-to-all이 다른 쪽의 계산 뒤에 숨는 대신 활성값이 늘어남: 1f1b는 최대 두 배, interleaved-1f1b는 패스 하나만큼.</translation>
    </message>
    <message>
        <source>Ranks that share the experts of each layer, folded over tensor ranks and adjacent replicas; a divisor of the experts and of tensor ranks times replicas, and a multiple of the tensor ranks.</source>
        <translation>각 레이어의 전문가를 나누어 가지는 랭크. 텐서 랭크와 인접한 복제본에 걸침. 전문가 수와, 텐서 랭크 수 곱하기 복제본 수의 약수이며 텐서 랭크 수의 배수.</translation>
    </message>
    <message>
        <source>It exchanges the tokens of experts with %1, %2.</source>
        <translation>%1과(와) 전문가의 토큰을 교환합니다(%2).</translation>
    </message>
    <message>
        <source>Expert</source>
        <translation>전문가</translation>
    </message>
    <message>
        <source>Overlapped pairs hide nothing here: collectives are blocking.</source>
        <translation>여기서는 겹친 짝이 숨기는 것이 없습니다. 집합 통신이 장치를 막습니다.</translation>
    </message>
    <message>
        <source>Overlapped pairs hide nothing here: they overlap all-to-alls of experts on several ranks.</source>
        <translation>여기서는 겹친 짝이 숨기는 것이 없습니다. 짝은 여러 랭크에 있는 전문가의 all-to-all을 겹칩니다.</translation>
    </message>
    <message>
        <source>choose reshard or resident, or 1F1B on one device</source>
        <translation>reshard나 resident, 또는 장치 하나의 1F1B를 선택하십시오</translation>
    </message>
    <message>
        <source>hosts do not yet sum what devices with rows of one table add up</source>
        <translation>한 표의 행을 나누어 가진 장치들이 더하는 것을 호스트는 아직 더하지 않습니다</translation>
    </message>
    <message>
        <source>choose no, or adamw, lion or sgd</source>
        <translation>no를 고르거나 adamw, lion, sgd 가운데 하나를 고르십시오</translation>
    </message>
    <message>
        <source>replicas gather parameters in the memory of devices</source>
        <translation>복제본이 장치의 메모리에서 매개변수를 모읍니다</translation>
    </message>
    <message>
        <source>choose no, or zero 2</source>
        <translation>no를 고르거나 zero 2를 고르십시오</translation>
    </message>
    <message>
        <source>passes that reduce gradients do not yet copy them to the host</source>
        <translation>기울기를 축약하는 패스는 아직 그것을 호스트로 복사하지 않습니다</translation>
    </message>
    <message>
        <source>choose no, or zero2 deferred</source>
        <translation>no를 고르거나 zero2 deferred를 고르십시오</translation>
    </message>
    <message>
        <source>routers read the bias where it is updated</source>
        <translation>라우터는 편향이 갱신되는 곳에서 편향을 읽습니다</translation>
    </message>
    <message>
        <source>choose no, or the router softmax</source>
        <translation>no를 고르거나 라우터 softmax를 고르십시오</translation>
    </message>
    <message>
        <source>the host that keeps the weights also updates them, and needs the optimizer&apos;s state</source>
        <translation>가중치를 보관하는 호스트가 갱신도 하므로 옵티마이저의 상태가 필요합니다</translation>
    </message>
    <message>
        <source>choose no, or --offload-optimizer</source>
        <translation>no를 고르거나 --offload-optimizer를 고르십시오</translation>
    </message>
    <message>
        <source>both would share the link to the host, and copies of activations are planned for a link of their own</source>
        <translation>둘이 호스트와의 링크를 나누어 쓰게 되는데, 활성값의 복사는 혼자 쓰는 링크를 전제로 계획합니다</translation>
    </message>
    <message>
        <source>choose no, or offload none and a family that offloads nothing</source>
        <translation>no를 고르거나, offload none과 아무것도 오프로드하지 않는 계열을 고르십시오</translation>
    </message>
    <message>
        <source>the schedule updates weights between its passes, which keep several versions of them on the device</source>
        <translation>스케줄이 패스 사이에 가중치를 갱신하며, 패스는 여러 버전의 가중치를 장치에 둡니다</translation>
    </message>
    <message>
        <source>choose no, or a synchronous schedule such as 1f1b</source>
        <translation>no를 고르거나 1f1b 같은 동기 스케줄을 고르십시오</translation>
    </message>
    <message>
        <source>needs the speed of the link to the host, which the hardware does not give</source>
        <translation>호스트와의 링크 속도가 필요한데 하드웨어에 없습니다</translation>
    </message>
    <message>
        <source>give --host-bandwidth</source>
        <translation>--host-bandwidth를 주십시오</translation>
    </message>
    <message>
        <source>a node has %1 for what its devices keep on the host, but they need %2</source>
        <translation>노드에는 장치들이 호스트에 두는 것을 위한 메모리가 %1 있지만 %2 필요합니다</translation>
    </message>
    <message>
        <source>raise it, or choose --no-offload-optimizer</source>
        <translation>늘리거나 --no-offload-optimizer를 고르십시오</translation>
    </message>
    <message>
        <source>each replica adds its own gradient to the whole momentum, of which ZeRO keeps a share</source>
        <translation>복제본마다 자기 기울기를 모멘텀 전체에 더하는데 ZeRO는 그 몫만 보관합니다</translation>
    </message>
    <message>
        <source>choose sign, or zero 0</source>
        <translation>sign을 고르거나 zero 0을 고르십시오</translation>
    </message>
    <message>
        <source>only AdamW has the two moments of which it keeps one</source>
        <translation>두 모멘트 가운데 하나를 그대로 두는데, 그 둘은 AdamW에만 있습니다</translation>
    </message>
    <message>
        <source>choose sign, or the optimizer adamw</source>
        <translation>sign을 고르거나 옵티마이저 adamw를 고르십시오</translation>
    </message>
    <message>
        <source>replicas exchange momentum, and no device has the gradient whose norm is limited</source>
        <translation>복제본은 모멘텀을 교환하므로 노름을 제한할 기울기가 어느 장치에도 없습니다</translation>
    </message>
    <message>
        <source>choose sign, or no clip</source>
        <translation>sign을 고르거나 clip을 빼십시오</translation>
    </message>
    <message>
        <source>devices compress the momentum, which the host would keep</source>
        <translation>장치가 모멘텀을 압축하는데 호스트가 그것을 보관하게 됩니다</translation>
    </message>
    <message>
        <source>choose sign, or --no-offload-optimizer</source>
        <translation>sign을 고르거나 --no-offload-optimizer를 고르십시오</translation>
    </message>
    <message>
        <source>In its forward, for its backward as well; on one device; only predicted</source>
        <translation>순전파에서, 그 역전파까지 씀. 장치 하나에서만. 예측 전용</translation>
    </message>
    <message>
        <source>Optimizer on the host</source>
        <translation>호스트의 옵티마이저</translation>
    </message>
    <message>
        <source>The host keeps the optimizer&apos;s state in its memory and updates the parameters: gradients are copied to it at the end of a step, and weights back.</source>
        <translation>호스트가 옵티마이저의 상태를 메모리에 보관하고 매개변수를 갱신합니다. 스텝의 끝에 기울기를 호스트로 복사하고 가중치를 되가져옵니다.</translation>
    </message>
    <message>
        <source>Parameters on the host</source>
        <translation>호스트의 매개변수</translation>
    </message>
    <message>
        <source>The host also keeps the weights of the layers: a pass copies those of one layer while it computes another, so that a device holds two layers (needs --offload-optimizer).</source>
        <translation>호스트가 레이어의 가중치도 보관합니다. 패스는 한 레이어를 계산하는 동안 다른 레이어의 가중치를 복사하므로 장치에는 레이어 두 개만 있습니다(--offload-optimizer가 필요합니다).</translation>
    </message>
    <message>
        <source>Steps at the beginning of the training in which replicas send all numbers of their gradients, which are large and change quickly there (one-bit-adam: 15 % of the steps if 0).</source>
        <translation>학습의 처음에 복제본이 기울기의 모든 수를 보내는 스텝 수. 이때 기울기는 크고 빨리 바뀝니다(one-bit-adam: 0이면 스텝의 15 %).</translation>
    </message>
    <message>
        <source>What replicas send of their gradients, the rest being kept for the next step: none (all), powersgd=R (two matrices of rank R), top-k=F (that share of the numbers, the greatest ones), sign (a bit for each) or one-bit-adam (a bit for each of the momentum of AdamW, whose second moments stay as they are after the uncompressed steps).</source>
        <translation>복제본이 기울기 가운데 보내는 것이며 나머지는 다음 스텝을 위해 남겨 둡니다. none(전부), powersgd=R(랭크 R인 행렬 두 개), top-k=F(가장 큰 수를 그 비율만큼), sign(수마다 1비트), one-bit-adam(AdamW의 모멘텀의 수마다 1비트. 압축하지 않는 스텝이 끝나면 이차 모멘트는 그대로 둡니다).</translation>
    </message>
    <message>
        <source>1-bit Adam</source>
        <translation>1비트 Adam</translation>
    </message>
    <message>
        <source>One bit for each number of the momentum, to one replica and from it to all</source>
        <translation>모멘텀의 수마다 1비트를 한 복제본으로, 거기서 모두에게</translation>
    </message>
    <message>
        <source>With expert ranks: expert sends a token to each of its experts; node sends it once to each node of its experts, whose ranks forward it.</source>
        <translation>전문가 랭크가 있을 때: expert는 토큰을 각 전문가에게 보내고, node는 전문가가 있는 노드마다 한 번만 보내 그 노드의 랭크가 전달합니다.</translation>
    </message>
    <message>
        <source>Ranks of a node forward tokens among themselves</source>
        <translation>노드의 랭크가 서로 토큰을 전달합니다</translation>
    </message>
    <message>
        <source>With expert ranks: precision of tokens and gradients on their way to experts: same as the model&apos;s, or fp8, which changes the training.</source>
        <translation>전문가 랭크가 있을 때: 전문가로 가는 토큰과 기울기의 정밀도. 모델과 같은 same, 또는 학습 결과를 바꾸는 fp8.</translation>
    </message>
    <message>
        <source>e4m3 on the way to experts, with a factor for every 128 numbers</source>
        <translation>전문가로 갈 때 e4m3이며, 수 128개마다 배율이 하나 있습니다</translation>
    </message>
    <message>
        <source>rank %1 of %2 expert ranks forwards %3 tokens, but has memory for %4</source>
        <translation>랭크 %1(전문가 랭크 모두 %2개)이 토큰 %3개를 전달하는데 메모리는 %4개분뿐입니다</translation>
    </message>
    <message>
        <source>Split messages (1: yes, 0: no)</source>
        <translation>나눈 메시지 (1: 예, 0: 아니요)</translation>
    </message>
    <message>
        <source>1: tensor ranks without sequence parallelism send a share of a message each to another node, whose ranks gather it; 0: each sends the whole</source>
        <translation>1: 시퀀스 병렬이 없는 텐서 랭크가 다른 노드로 메시지의 한 몫씩만 보내고 그곳의 랭크가 모음. 0: 각각 전체를 보냄</translation>
    </message>
    <message>
        <source>ZeRO-%1 in every microbatch</source>
        <translation>마이크로배치마다 ZeRO-%1</translation>
    </message>
    <message>
        <source>a run names weights as Hugging Face&apos;s GPT-2, which has no groups</source>
        <translation>실행은 가중치에 그룹이 없는 Hugging Face GPT-2의 이름을 씁니다</translation>
    </message>
    <message>
        <source>choose as many as heads, or the family llama</source>
        <translation>헤드와 같은 수, 또는 llama 계열을 선택하십시오</translation>
    </message>
    <message>
        <source>On, with the weights of the layers</source>
        <translation>켬, 레이어의 가중치 포함</translation>
    </message>
    <message>
        <source>Offload</source>
        <translation>오프로드</translation>
    </message>
    <message>
        <source>Activations that wait for their backward on the host: none (po-h: those of half of the stages, po-f: all); auto, those whose copies keep no pass waiting; or that part of each device&apos;s, from 0 to 1, those that wait longest first.</source>
        <translation>호스트에서 역전파를 기다리는 활성값: none(po-h는 스테이지 절반의 것, po-f는 전부), auto(복사 때문에 기다리는 패스가 없는 것), 또는 0부터 1까지 각 장치의 활성값 가운데 가장 오래 기다리는 것부터의 비율.</translation>
    </message>
    <message>
        <source>What is free</source>
        <translation>비용 없는 만큼</translation>
    </message>
    <message>
        <source>As many activations as are copied without any pass waiting</source>
        <translation>기다리는 패스 없이 복사되는 만큼의 활성값</translation>
    </message>
    <message>
        <source>Half</source>
        <translation>절반</translation>
    </message>
    <message>
        <source>Half of each device&apos;s activations, even if passes wait for their copies</source>
        <translation>복사를 기다리는 패스가 있더라도 각 장치의 활성값 절반</translation>
    </message>
    <message>
        <source>All</source>
        <translation>전부</translation>
    </message>
    <message>
        <source>All activations that wait for others, even if passes wait for their copies</source>
        <translation>복사를 기다리는 패스가 있더라도, 다른 것을 기다리는 모든 활성값</translation>
    </message>
    <message>
        <source>Copies</source>
        <translation>복사</translation>
    </message>
    <message>
        <source>Whether copies to the host and back take turns on the link of a device (half), or run at the same time (full).</source>
        <translation>장치의 링크에서 호스트로 가는 복사와 돌아오는 복사가 번갈아 실행되는지(half), 동시에 실행되는지(full).</translation>
    </message>
    <message>
        <source>Take turns</source>
        <translation>번갈아</translation>
    </message>
    <message>
        <source>One lane a device for both directions</source>
        <translation>장치마다 두 방향에 레인 하나</translation>
    </message>
    <message>
        <source>Both directions at once</source>
        <translation>양방향 동시</translation>
    </message>
    <message>
        <source>A lane for each direction</source>
        <translation>방향마다 레인 하나</translation>
    </message>
    <message>
        <source>Link to the host (GB/s)</source>
        <translation>호스트 링크 (GB/s)</translation>
    </message>
    <message>
        <source>Of a device, each way (default: that of the hardware); the copies of a run are no faster.</source>
        <translation>장치의 링크, 각 방향(기본값: 하드웨어의 값). 실행의 복사는 이보다 빠르지 않습니다.</translation>
    </message>
    <message>
        <source>the hardware&apos;s</source>
        <translation>하드웨어의 값</translation>
    </message>
    <message>
        <source>Host memory (GiB)</source>
        <translation>호스트 메모리 (GiB)</translation>
    </message>
    <message>
        <source>Of a node, such as 512GiB (default: that of the hardware); a plan whose copies need more is refused.</source>
        <translation>노드의 메모리, 예: 512GiB(기본값: 하드웨어의 값). 복사에 더 많이 필요한 계획은 거부합니다.</translation>
    </message>
    <message>
        <source>is %1, which is no multiple of the %2 replicas that share experts</source>
        <translation>%1인데, 전문가를 나누어 가지는 복제본 %2개의 배수가 아닙니다</translation>
    </message>
    <message>
        <source>choose the backend cpu, or exchange once a step (zero2 deferred, zero3 resident)</source>
        <translation>백엔드 cpu를 고르거나 스텝마다 한 번 교환하세요 (zero2 deferred, zero3 resident)</translation>
    </message>
    <message>
        <source>ranks with unequal parts of the tables have unequal shares of the parameters that they sum</source>
        <translation>표의 크기가 다른 랭크는 더하는 파라미터의 몫도 다릅니다</translation>
    </message>
    <message>
        <source>the ranks of this machine offload to %1 of pinned memory, but only %2 are free</source>
        <translation>이 컴퓨터의 랭크가 고정된 메모리 %1에 오프로드하는데 %2만 비어 있습니다</translation>
    </message>
    <message>
        <source>lower --offload, choose a family that offloads less, or --no-offload-optimizer</source>
        <translation>--offload를 낮추거나, 덜 오프로드하는 계열을 고르거나, --no-offload-optimizer를 쓰십시오</translation>
    </message>
    <message>
        <source>the host refuses %1 of pinned memory for what is offloaded</source>
        <translation>호스트가 오프로드하는 것을 위한 고정된 메모리 %1을(를) 거부합니다</translation>
    </message>
    <message>
        <source>offload less, or raise the memory that the machine or its container lets a process pin</source>
        <translation>덜 오프로드하거나, 컴퓨터나 컨테이너가 프로세스에 허용하는 고정 메모리를 늘리십시오</translation>
    </message>
    <message>
        <source>is %1, but the checkpoint has what the ranks of another plan have not sent yet</source>
        <translation>%1인데, 체크포인트에는 다른 계획의 랭크가 아직 보내지 않은 것이 들어 있습니다</translation>
    </message>
    <message>
        <source>keep devices, ranks, stages and the sharding of the vocabulary as they were</source>
        <translation>장치, 랭크, 스테이지, 어휘의 분할을 전과 같게 두십시오</translation>
    </message>
    <message>
        <source>is %1, but 16 bits on GPUs need a multiple of %2</source>
        <translation>값이 %1이지만 GPU의 16비트에는 %2의 배수가 필요합니다</translation>
    </message>
    <message>
        <source>Fp32, bf16 or fp16, of weights, activations and messages, or fp8: bf16, with the products of layers in 8 bits; processors emulate all but fp32, GPUs only fp8.</source>
        <translation>가중치, 활성값, 메시지의 fp32, bf16, fp16, 또는 fp8: bf16이며 레이어의 곱은 8비트. 프로세서는 fp32 말고는 모두, GPU는 fp8만 에뮬레이션합니다.</translation>
    </message>
    <message>
        <source>NVIDIA GPUs, fp32, bf16 or fp16, or fp8 emulated</source>
        <translation>NVIDIA GPU, fp32, bf16, fp16 또는 에뮬레이션한 fp8</translation>
    </message>
    <message>
        <source>NVIDIA GPUs, fp32, bf16 or fp16, or fp8 emulated: %1</source>
        <translation>NVIDIA GPU, fp32, bf16, fp16 또는 에뮬레이션한 fp8: %1</translation>
    </message>
    <message>
        <source>choose 1, a method that shards the vocabulary, or --vocabulary-sharding device</source>
        <translation>1, 어휘를 나누는 방법, 또는 --vocabulary-sharding device를 선택하십시오</translation>
    </message>
    <message>
        <source>choose no, one softmax, or --vocabulary-sharding device</source>
        <translation>no, 소프트맥스 하나 또는 --vocabulary-sharding device를 고르십시오</translation>
    </message>
    <message>
        <source>without sequence parallelism no tensor rank has tokens of its own</source>
        <translation>시퀀스 병렬이 없으면 자기 토큰을 가진 텐서 랭크가 없습니다</translation>
    </message>
    <message>
        <source>choose rank, or --sequence-parallel</source>
        <translation>rank 또는 --sequence-parallel을 선택하십시오</translation>
    </message>
    <message>
        <source>Vocabulary is divided over</source>
        <translation>어휘를 나누는 대상</translation>
    </message>
    <message>
        <source>With tensor ranks: rank divides the rows of the token tables over them; device lets them divide the tokens instead.</source>
        <translation>텐서 랭크가 있을 때: rank는 토큰 표의 행을 텐서 랭크에 나누고, device는 대신 토큰을 나누게 합니다.</translation>
    </message>
    <message>
        <source>All ranks</source>
        <translation>모든 랭크</translation>
    </message>
    <message>
        <source>Each rank holds V / (p t) rows</source>
        <translation>랭크마다 V / (p t)행을 가집니다</translation>
    </message>
    <message>
        <source>Tensor ranks hold the same V / p rows, and divide the tokens</source>
        <translation>텐서 랭크가 같은 V / p행을 가지고 토큰을 나눕니다</translation>
    </message>
    <message>
        <source>passes of vocabulary layers lie between the backward of a microbatch and the forward of the next</source>
        <translation>어휘 레이어의 패스가 한 마이크로배치의 역전파와 다음 마이크로배치의 순전파 사이에 있습니다</translation>
    </message>
    <message>
        <source>choose reshard or resident, or a schedule and a method that shard none</source>
        <translation>reshard나 resident, 또는 어휘를 나누지 않는 스케줄과 방법을 선택하십시오</translation>
    </message>
    <message>
        <source>forwards of replicas do not wait for each other, but backwards do, and each replica is simulated alone</source>
        <translation>복제본의 순전파는 서로 기다리지 않지만 역전파는 기다리며, 복제본마다 따로 시뮬레이션합니다</translation>
    </message>
    <message>
        <source>choose deferred, or name devices, which are slow in all replicas</source>
        <translation>deferred를 선택하거나, 모든 복제본에서 느린 장치를 지정하십시오</translation>
    </message>
    <message>
        <source>Replicas exchange in every pass: each takes as long as in the slowest.</source>
        <translation>복제본이 패스마다 교환합니다. 패스마다 가장 느린 복제본에서만큼 걸립니다.</translation>
    </message>
    <message>
        <source>a run with ZeRO in every microbatch does not add the gradients that two devices have of a tied table</source>
        <translation>마이크로배치마다 ZeRO로 교환하는 실행은 두 장치가 가진 묶인 표의 기울기를 더하지 않습니다</translation>
    </message>
    <message>
        <source>choose no, a method that shards the vocabulary, or exchange once a step (zero2 deferred, zero3 resident)</source>
        <translation>no, 어휘를 나누는 방법, 또는 스텝마다 한 번 교환(zero2 deferred, zero3 resident)을 고르십시오</translation>
    </message>
    <message>
        <source>run a backward before it, or raise memory_limit</source>
        <translation>그 앞에 역전파를 실행하거나, memory_limit을 늘리십시오</translation>
    </message>
    <message>
        <source>raise memory_limit to %1, or look at the levers for what needs less</source>
        <translation>memory_limit을 %1까지 늘리거나, 더 적게 필요한 것을 레버에서 찾으십시오</translation>
    </message>
</context>
</TS>
